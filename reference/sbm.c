// SPDX-License-Identifier: MIT
// Parts of SBM-Transformer (Cho et al., 2022): the block matrix of a head, equation 5; the probabilities of edges, E[M]
// = Y B Z^T of section 4.1; and masked attention with a factor f for the score of each edge. The straight-through
// estimator of equation 9 is a gradient with respect to this factor:
//   S = softmax over all u, v of c_u . c_v
//   out_i = sum over j with M_ij = 1 of softmax_j(f_ij q_i . k_j scale) v_j,   f_ij = 1 + p_ij - [what p_ij was]
//   dL/dp_ij = dL/df_ij at f = 1 = dL/dA_ij q_i . k_j scale,   A the scores
#include "reference/ref.h"

#include <math.h>

static double dot(int64_t count, const double *a, const double *b) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

void ref_pair_softmax(int64_t count, int64_t size, const double *in, double *out) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t u = 0; u < count; u++)
        for (int64_t v = 0; v < count; v++) {
            out[u * count + v] = dot(size, in + u * size, in + v * size);
            largest = fmax(largest, out[u * count + v]);
        }
    for (int64_t i = 0; i < count * count; i++) sum += out[i] = exp(out[i] - largest);
    for (int64_t i = 0; i < count * count; i++) out[i] /= sum;
}

void ref_pair_softmax_backward(int64_t count, int64_t size, const double *in, const double *out, const double *dout,
                               double *din) {
    const double mean = dot(count * count, out, dout);
    for (int64_t u = 0; u < count; u++)
        for (int64_t v = 0; v < count; v++) {
            const double da = out[u * count + v] * (dout[u * count + v] - mean);
            for (int64_t i = 0; i < size; i++) {
                din[u * size + i] += da * in[v * size + i];
                din[v * size + i] += da * in[u * size + i];
            }
        }
}

void ref_sbm_probability(int64_t queries, int64_t keys, int64_t clusters, const double *y, const double *b,
                         const double *z, double *p) {
    for (int64_t i = 0; i < queries; i++)
        for (int64_t j = 0; j < keys; j++) {
            p[i * keys + j] = 0.0;
            for (int64_t u = 0; u < clusters; u++)
                for (int64_t v = 0; v < clusters; v++)
                    p[i * keys + j] += y[i * clusters + u] * b[u * clusters + v] * z[j * clusters + v];
        }
}

void ref_scaled_attention(int64_t queries, int64_t keys, int64_t size, double scale, const double *query,
                          const double *key, const double *value, const uint8_t *mask, const double *factor,
                          double *out) {
    for (int64_t i = 0; i < queries; i++) {
        double sum = 0.0, largest = -INFINITY;
        for (int64_t j = 0; j < keys; j++)
            if (mask[i * keys + j])
                largest = fmax(largest, factor[i * keys + j] * scale * dot(size, query + i * size, key + j * size));
        for (int64_t d = 0; d < size; d++) out[i * size + d] = 0.0;
        for (int64_t j = 0; j < keys; j++) {
            if (!mask[i * keys + j]) continue;
            const double weight =
                exp(factor[i * keys + j] * scale * dot(size, query + i * size, key + j * size) - largest);
            sum += weight;
            for (int64_t d = 0; d < size; d++) out[i * size + d] += weight * value[j * size + d];
        }
        for (int64_t d = 0; d < size && sum > 0.0; d++) out[i * size + d] /= sum;
    }
}

// Rows of the softmax's Jacobian times the score that the factor scales.
void ref_scaled_attention_backward(int64_t queries, int64_t keys, int64_t size, double scale, const double *query,
                                   const double *key, const double *value, const uint8_t *mask, const double *dout,
                                   double *dfactor) {
    for (int64_t i = 0; i < queries; i++) {
        double sum = 0.0, mean = 0.0;
        for (int64_t j = 0; j < keys; j++) {
            if (!mask[i * keys + j]) continue;
            const double weight = exp(scale * dot(size, query + i * size, key + j * size));
            sum += weight;
            mean += weight * dot(size, dout + i * size, value + j * size);
        }
        for (int64_t j = 0; j < keys; j++) {
            dfactor[i * keys + j] = 0.0;
            if (!mask[i * keys + j]) continue;
            const double score = scale * dot(size, query + i * size, key + j * size);
            dfactor[i * keys + j] =
                exp(score) / sum * (dot(size, dout + i * size, value + j * size) - mean / sum) * score;
        }
    }
}
