// SPDX-License-Identifier: MIT
// Attention of one head over a directed graph (Big Bird, Zaheer et al., 2020, equation AT of section 2):
//   out_i = sum over j in N(i) of softmax_j(q_i . k_j scale + term_ij) v_j
// term is the masked adjacency matrix of appendix D, written additively: -infinity if i does not read j, and ln m +
// bias if it does. A query that reads nothing has out = 0 and log_sum = -infinity.
//
// Backward, with p the softmax and dp_ij = dout_i . v_j: ds_ij = p_ij (dp_ij - sum_j p_ij dp_ij).
#include "reference/ref.h"

#include <math.h>

static double dot(int64_t count, const double *a, const double *b) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// z_ij of one query and key
static double score(int64_t head_size, double scale, const double *query, const double *key, double term) {
    return term == -INFINITY ? -INFINITY : scale * dot(head_size, query, key) + term;
}

// ln sum_j exp z_ij of one query
static double log_sum_exp(int64_t keys, int64_t head_size, double scale, const double *query, const double *key,
                          const double *term) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t j = 0; j < keys; j++)
        largest = fmax(largest, score(head_size, scale, query, key + j * head_size, term[j]));
    if (largest == -INFINITY) return -INFINITY;
    for (int64_t j = 0; j < keys; j++)
        sum += exp(score(head_size, scale, query, key + j * head_size, term[j]) - largest);
    return largest + log(sum);
}

void ref_attention(int64_t queries, int64_t keys, int64_t head_size, double scale, const double *query,
                   const double *key, const double *value, const double *term, double *out, double *log_sum) {
    for (int64_t i = 0; i < queries; i++) {
        const double *q = query + i * head_size;
        log_sum[i] = log_sum_exp(keys, head_size, scale, q, key, term + i * keys);
        for (int64_t d = 0; d < head_size; d++) out[i * head_size + d] = 0.0;
        if (log_sum[i] == -INFINITY) continue;
        for (int64_t j = 0; j < keys; j++) {
            const double p = exp(score(head_size, scale, q, key + j * head_size, term[i * keys + j]) - log_sum[i]);
            for (int64_t d = 0; d < head_size; d++) out[i * head_size + d] += p * value[j * head_size + d];
        }
    }
}

void ref_attention_backward(int64_t queries, int64_t keys, int64_t head_size, double scale, const double *query,
                            const double *key, const double *value, const double *term, const double *dout,
                            double *dquery, double *dkey, double *dvalue, double *dterm) {
    for (int64_t i = 0; i < queries; i++) {
        const double *q = query + i * head_size, *g = dout + i * head_size;
        const double total = log_sum_exp(keys, head_size, scale, q, key, term + i * keys);
        if (total == -INFINITY) continue;
        double mean = 0.0; // sum_j p_ij dp_ij
        for (int64_t j = 0; j < keys; j++)
            mean += exp(score(head_size, scale, q, key + j * head_size, term[i * keys + j]) - total) *
                    dot(head_size, g, value + j * head_size);
        for (int64_t j = 0; j < keys; j++) {
            const double *k = key + j * head_size;
            const double p = exp(score(head_size, scale, q, k, term[i * keys + j]) - total);
            const double ds = p * (dot(head_size, g, value + j * head_size) - mean);
            for (int64_t d = 0; d < head_size; d++) {
                dquery[i * head_size + d] += scale * ds * k[d];
                dkey[j * head_size + d] += scale * ds * q[d];
                dvalue[j * head_size + d] += p * g[d];
            }
            if (dterm) dterm[i * keys + j] += ds;
        }
    }
}
