// SPDX-License-Identifier: MIT
// out = residual + in keep / (1 - p) (Srivastava et al., 2014, in its inverted form), keep = [word >= p 2^32], where
// the word of element e is word e mod 4 of Philox 4x32-10 (Salmon et al., 2011) at counter {e / 4, site, step}.
#include "reference/ref.h"

#include <string.h>

// One block, word for word as in section 3.3 of the paper: R = (hi(M1 R2) ^ R1 ^ K0, lo(M1 R2), hi(M0 R0) ^ R3 ^ K1,
// lo(M0 R0)), keys bumped between rounds.
static void philox(uint64_t index, uint32_t site, uint32_t step, uint64_t seed, uint32_t r[4]) {
    uint64_t key0 = seed & 0xffffffffu, key1 = seed >> 32;
    r[0] = (uint32_t)(index & 0xffffffffu), r[1] = (uint32_t)(index >> 32), r[2] = site, r[3] = step;
    for (int round = 0; round < 10; round++) {
        const uint64_t first = 0xD2511F53ull * r[0], second = 0xCD9E8D57ull * r[2];
        const uint32_t next[4] = {(uint32_t)((second >> 32) ^ r[1] ^ key0), (uint32_t)(second & 0xffffffffu),
                                  (uint32_t)((first >> 32) ^ r[3] ^ key1), (uint32_t)(first & 0xffffffffu)};
        memcpy(r, next, sizeof next);
        key0 = (key0 + 0x9E3779B9u) & 0xffffffffu;
        key1 = (key1 + 0xBB67AE85u) & 0xffffffffu;
    }
}

void ref_dropout_keep(int64_t count, double probability, uint64_t seed, uint32_t step, uint32_t site,
                      int64_t first_element, uint8_t *keep) {
    for (int64_t i = 0; i < count; i++) {
        uint32_t words[4];
        philox((uint64_t)(first_element + i) / 4, site, step, seed, words);
        keep[i] = (double)words[(first_element + i) % 4] >= probability * 4294967296.0;
    }
}

void ref_dropout_add(int64_t count, double probability, const uint8_t *keep, const double *in, const double *residual,
                     double *out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (residual ? residual[i] : 0.0) + (keep[i] ? in[i] / (1.0 - probability) : 0.0);
}

void ref_dropout_add_backward(int64_t count, double probability, const uint8_t *keep, const double *dout, double *din,
                              double *dresidual) {
    for (int64_t i = 0; i < count; i++) {
        if (din && keep[i]) din[i] += dout[i] / (1.0 - probability);
        if (dresidual) dresidual[i] += dout[i];
    }
}
