// SPDX-License-Identifier: MIT
// The weights of an edge in attention's backward pass, for each query i and key j:
//   P = e^(z - log_sum);  dz = P (dout . v - delta)
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_WEIGHTS_H
#define GW_KERNELS_CPU_ISA_ATTENTION_WEIGHTS_H

#include "kernels/cpu/isa/vmath.h"

#include <stddef.h>

// Tiles of [queries][stride] with keys as lanes: z and dout . v, which are replaced by P and dz.
typedef struct {
    float *scores, *score_gradient;
    int64_t stride, queries, keys;
    const float *log_sum, *delta; // of the queries
} gw_weights;

// Values that a query's lanes share. A query without keys has log_sum -infinity; +infinity is then subtracted instead,
// so that e^(z - log_sum) is 0.
typedef struct {
    float *scores, *score_gradient;
    gw_f32v log_sum, delta;
} gw_weights_row;

GW_INLINE gw_weights_row gw_weights_row_of(const gw_weights *w, int64_t i) {
    return (gw_weights_row){.scores = w->scores + i * w->stride,
                            .score_gradient = w->score_gradient + i * w->stride,
                            .log_sum = gw_all(w->log_sum[i] == -INFINITY ? INFINITY : w->log_sum[i]),
                            .delta = gw_all(w->delta[i])};
}

// dz of the lanes from `lane` on, from their P.
GW_INLINE gw_f32v gw_weights_gradient(const gw_weights_row *row, int64_t lane, gw_f32v p) {
    return p * (gw_load(row->score_gradient + lane) - row->delta);
}

static __attribute__((unused)) void gw_weights_make(const gw_weights *w) {
    for (int64_t i = 0; i < w->queries; i++) {
        const gw_weights_row row = gw_weights_row_of(w, i);
        for (int64_t lane = 0; lane < w->keys; lane += GW_LANES) {
            const gw_f32v p = gw_exp2_bounded((gw_load(row.scores + lane) - row.log_sum) * GW_LOG2_E);
            gw_store(row.scores + lane, p);
            gw_store(row.score_gradient + lane, gw_weights_gradient(&row, lane, p));
        }
    }
}

#endif
