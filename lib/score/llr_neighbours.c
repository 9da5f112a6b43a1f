// SPDX-License-Identifier: MIT
// Entropies of four probabilities, in double.
#include "score/llr_neighbours.h"

#include "base/softmax.h"

#include <math.h>

void gw_neighbour_bases(int k, const gw_variant *v, int64_t at, int64_t window, int64_t base[2]) {
    const int64_t length[2] = {v->ref_length, v->alt_length};
    for (int side = 0; side < 2; side++) {
        base[side] = k < GW_NEIGHBOURS_A_SIDE ? at - 1 - k : at + length[side] + k - GW_NEIGHBOURS_A_SIDE;
        if (base[side] < 0 || base[side] >= window) base[side] = -1;
    }
    if (base[0] < 0 || base[1] < 0) base[0] = base[1] = -1;
}

void gw_shares_of(const float *logits, const int32_t *token, int64_t count, float *share) {
    for (int64_t i = 0; i < count; i++) share[i] = logits[token[i]];
    const gw_softmax softmax = gw_softmax_of(share, count, 1);
    for (int64_t i = 0; i < count; i++) share[i] = (float)gw_softmax_share(softmax, share[i]);
}

static double bits(double p) {
    return p > 0 ? -p * log2(p) : 0;
}

double gw_divergence_bits(const float p[4], const float q[4]) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double a = (double)p[i], b = (double)q[i];
        sum += bits((a + b) / 2) - (bits(a) + bits(b)) / 2;
    }
    return sum > 0 ? sum : 0;
}

float gw_mean_divergence(const float *shares) {
    double sum = 0;
    int64_t count = 0;
    for (int strand = 0; strand < 2; strand++)
        for (int k = 0; k < GW_NEIGHBOURS; k++) {
            const float *ref = shares + ((int64_t)(2 * strand) * GW_NEIGHBOURS + k) * 4;
            const float *alt = ref + (int64_t)GW_NEIGHBOURS * 4;
            if (isnan(ref[0]) || isnan(alt[0])) continue;
            sum += gw_divergence_bits(ref, alt);
            count++;
        }
    return count > 0 ? (float)(sum / (double)count) : NAN;
}
