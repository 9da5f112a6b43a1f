// SPDX-License-Identifier: MIT
// Attention with products of features as weights, pair by pair:
//   out_i = sum_j w_ij v_j / sum_j w_ij,  w_ij = q_i . k_j  over all j, or where it is causal j <= i
// (Katharopoulos et al., 2020, equation 4, causal: equation 8, before their sums are separated). Gradients:
//   dw_ij = dout_i . (v_j - out_i) / sum_j w_ij,  dq_i = sum_j dw_ij k_j,  dk_j = sum_i dw_ij q_i,
//   dv_j = sum_i w_ij dout_i / sum_j w_ij
#include "reference/ref.h"

#include <stdlib.h>

static double product(int64_t width, const double *a, const double *b) {
    double sum = 0.0;
    for (int64_t i = 0; i < width; i++) sum += a[i] * b[i];
    return sum;
}

static double weight(int64_t features, bool causal, const double *query, const double *key, int64_t i, int64_t j) {
    return causal && j > i ? 0.0 : product(features, query + i * features, key + j * features);
}

static double sum_of(int64_t rows, int64_t features, bool causal, const double *query, const double *key, int64_t i) {
    double sum = 0.0;
    for (int64_t j = 0; j < rows; j++) sum += weight(features, causal, query, key, i, j);
    return sum;
}

// out of row i
static void read(int64_t rows, int64_t features, int64_t size, bool causal, const double *query, const double *key,
                 const double *value, int64_t i, double *out) {
    const double sum = sum_of(rows, features, causal, query, key, i);
    for (int64_t d = 0; d < size; d++) out[d] = 0.0;
    for (int64_t j = 0; j < rows; j++) {
        const double w = weight(features, causal, query, key, i, j);
        for (int64_t d = 0; d < size; d++) out[d] += w * value[j * size + d] / sum;
    }
}

void ref_linear_attention(int64_t rows, int64_t features, int64_t size, bool causal, const double *query,
                          const double *key, const double *value, double *out) {
    for (int64_t i = 0; i < rows; i++) read(rows, features, size, causal, query, key, value, i, out + i * size);
}

void ref_linear_attention_backward(int64_t rows, int64_t features, int64_t size, bool causal, const double *query,
                                   const double *key, const double *value, const double *dout, double *dquery,
                                   double *dkey, double *dvalue) {
    for (int64_t i = 0; i < rows * features; i++) dquery[i] = dkey[i] = 0.0;
    for (int64_t i = 0; i < rows * size; i++) dvalue[i] = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        const double sum = sum_of(rows, features, causal, query, key, i), *gradient = dout + i * size;
        double *out = malloc((size_t)size * sizeof *out);
        read(rows, features, size, causal, query, key, value, i, out);
        const double of_out = product(size, gradient, out);
        free(out);
        for (int64_t j = 0; j < rows && (!causal || j <= i); j++) {
            const double dweight = (product(size, gradient, value + j * size) - of_out) / sum;
            const double w = weight(features, causal, query, key, i, j);
            for (int64_t f = 0; f < features; f++) {
                dquery[i * features + f] += dweight * key[j * features + f];
                dkey[j * features + f] += dweight * query[i * features + f];
            }
            for (int64_t d = 0; d < size; d++) dvalue[j * size + d] += w * gradient[d] / sum;
        }
    }
}
