// SPDX-License-Identifier: MIT
// One head of dense attention with terms of the distance (Dai et al., 2019, section 3.3, with queries that are scaled
// before the biases are added, as in Avsec et al., 2021):
//   z_ij = (f q_i + u) . k_j + (f q_i + v) . R[j - i],  R[d] = W F[d]
//   out_i = sum over j of P_ij value_j,  P_i = softmax(z_i)
// Without a table of features z_ij = f q_i . k_j.
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>

static double *zeros(int64_t count) {
    double *memory = calloc((size_t)count, sizeof *memory);
    if (!memory) abort();
    return memory;
}

// R [2 most - 1][D]
static double *make_positions(const ref_distance *of) {
    double *made = zeros((2 * of->most - 1) * of->key_size);
    for (int64_t d = 0; of->table && d < 2 * of->most - 1; d++)
        for (int64_t c = 0; c < of->key_size; c++)
            for (int64_t f = 0; f < of->features; f++)
                made[d * of->key_size + c] += of->weight[c * of->features + f] * of->table[d * of->features + f];
    return made;
}

// P_ij, [queries][keys]
static double *make_weights(const ref_distance *of, const double *position, double *log_sum) {
    double *p = zeros(of->queries * of->keys);
    for (int64_t i = 0; i < of->queries; i++) {
        double largest = -INFINITY, sum = 0;
        double *row = p + i * of->keys;
        for (int64_t j = 0; j < of->keys; j++) {
            const double *r = position + (j - of->first - i + of->most - 1) * of->key_size;
            for (int64_t c = 0; c < of->key_size; c++) {
                const double q = of->scale * of->query[i * of->key_size + c];
                row[j] += (q + (of->table ? of->content_bias[c] : 0)) * of->key[j * of->key_size + c];
                if (of->table) row[j] += (q + of->position_bias[c]) * r[c];
            }
            largest = fmax(largest, row[j]);
        }
        for (int64_t j = 0; j < of->keys; j++) sum += exp(row[j] - largest);
        for (int64_t j = 0; j < of->keys; j++) row[j] = exp(row[j] - largest) / sum;
        if (log_sum) log_sum[i] = largest + log(sum);
    }
    return p;
}

void ref_distance_attention(const ref_distance *of, double *out, double *log_sum) {
    double *position = make_positions(of), *p = make_weights(of, position, log_sum);
    for (int64_t i = 0; i < of->queries; i++)
        for (int64_t c = 0; c < of->value_size; c++) {
            double sum = 0;
            for (int64_t j = 0; j < of->keys; j++) sum += p[i * of->keys + j] * of->value[j * of->value_size + c];
            out[i * of->value_size + c] = sum;
        }
    free(position);
    free(p);
}

void ref_distance_attention_backward(const ref_distance *of, const double *dout, const ref_distance_gradients *to) {
    double *position = make_positions(of), *p = make_weights(of, position, NULL);
    double *dposition = zeros((2 * of->most - 1) * of->key_size);
    for (int64_t i = 0; i < of->queries; i++) {
        const double *dy = dout + i * of->value_size, *row = p + i * of->keys;
        double mean = 0, *dp = zeros(of->keys);
        for (int64_t j = 0; j < of->keys; j++) {
            for (int64_t c = 0; c < of->value_size; c++) dp[j] += dy[c] * of->value[j * of->value_size + c];
            mean += row[j] * dp[j];
        }
        for (int64_t j = 0; j < of->keys; j++) {
            const double dz = row[j] * (dp[j] - mean);
            const int64_t d = j - of->first - i + of->most - 1;
            for (int64_t c = 0; c < of->value_size; c++) to->value[j * of->value_size + c] += row[j] * dy[c];
            for (int64_t c = 0; c < of->key_size; c++) {
                const double q = of->scale * of->query[i * of->key_size + c], k = of->key[j * of->key_size + c];
                const double r = position[d * of->key_size + c];
                to->query[i * of->key_size + c] += of->scale * dz * (k + r);
                to->key[j * of->key_size + c] += dz * (q + (of->table ? of->content_bias[c] : 0));
                if (!of->table) continue;
                to->content_bias[c] += dz * k;
                to->position_bias[c] += dz * r;
                dposition[d * of->key_size + c] += dz * (q + of->position_bias[c]);
            }
        }
        free(dp);
    }
    for (int64_t d = 0; of->table && d < 2 * of->most - 1; d++)
        for (int64_t c = 0; c < of->key_size; c++)
            for (int64_t f = 0; f < of->features; f++)
                to->weight[c * of->features + f] += dposition[d * of->key_size + c] * of->table[d * of->features + f];
    free(position);
    free(p);
    free(dposition);
}
