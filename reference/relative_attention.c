// SPDX-License-Identifier: MIT
// Attention of one head with terms of a key's relative position (Shaw et al., 2018, equation 5, with a bias and a limit
// to the distance; global and long tokens as in ETC, Ainslie et al., 2020, section 3):
//   z_ij = scale (q_i . k_j + q_i . E[id_ij] + b[id_ij]) + term_ij
// One number for each pair: scale (q_i . E[id_ij] + b[id_ij]) + term_ij replaces term_ij of ref_attention().
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>

// ids 0 .. 2 distance are of tokens of one kind: 0 the same one, 1 .. distance behind it, then before it; those after
// are of a global token and a long one, by its segment and by links.
int64_t ref_relative_id(const ref_relative *of, int64_t query, int64_t key) {
    const bool query_global = query < of->globals, key_global = key < of->globals;
    if (query_global == key_global) {
        if (key >= query) return key - query < of->distance ? key - query : of->distance;
        return query - key < of->distance ? of->distance + query - key : 2 * of->distance;
    }
    const int64_t global = query_global ? query : key, other = query_global ? key : query;
    if (of->linked && of->linked[other] == global) return 2 * of->distance + 2;
    if (of->segment_begin[global] < 0) return 2 * of->distance + 3;
    const bool inside = other >= of->segment_begin[global] && other < of->segment_end[global];
    return 2 * of->distance + (inside ? 2 : 1);
}

// Row of the tables for a pair.
static int64_t table_row(const ref_relative *of, int64_t query, int64_t key) {
    return (query < of->globals ? of->ids : 0) + ref_relative_id(of, query, key);
}

// [rows][rows]; to be freed
static double *make_terms(const ref_relative *of) {
    double *term = malloc((size_t)(of->rows * of->rows) * sizeof *term);
    if (!term) abort();
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->rows; j++) {
            const int64_t row = table_row(of, i, j);
            double sum = of->bias[row];
            for (int64_t d = 0; d < of->head_size; d++)
                sum += of->query[i * of->head_size + d] * of->embedding[row * of->head_size + d];
            term[i * of->rows + j] = of->term[i * of->rows + j] + of->scale * sum;
        }
    return term;
}

void ref_relative_attention(const ref_relative *of, double *out, double *log_sum) {
    double *term = make_terms(of);
    ref_attention(of->rows, of->rows, of->head_size, of->scale, of->query, of->key, of->value, term, out, log_sum);
    free(term);
}

void ref_relative_attention_backward(const ref_relative *of, const double *dout, double *dquery, double *dkey,
                                     double *dvalue, double *dembedding, double *dbias) {
    double *term = make_terms(of), *dterm = calloc((size_t)(of->rows * of->rows), sizeof *dterm);
    if (!dterm) abort();
    ref_attention_backward(of->rows, of->rows, of->head_size, of->scale, of->query, of->key, of->value, term, dout,
                           dquery, dkey, dvalue, dterm);
    for (int64_t i = 0; i < of->rows; i++)
        for (int64_t j = 0; j < of->rows; j++) {
            const int64_t row = table_row(of, i, j);
            const double ds = of->scale * dterm[i * of->rows + j];
            dbias[row] += ds;
            for (int64_t d = 0; d < of->head_size; d++) {
                dembedding[row * of->head_size + d] += ds * of->query[i * of->head_size + d];
                dquery[i * of->head_size + d] += ds * of->embedding[row * of->head_size + d];
            }
        }
    free(term);
    free(dterm);
}
