// SPDX-License-Identifier: MIT
// The one product of block attention: c[r][i] (+)= sum_t a(r, t) b[t][i].
//
// b and c are tiles in scratch memory whose lanes i are the tokens of the block that the work item owns ("own" side);
// a is the other side's rows in place, read one number at a time: a(r, t) = a[r row_step + t depth_step]. So neither
// keys nor values are ever packed or transposed, any head size works without a tail, and softmax needs no sums across
// lanes.
#ifndef GW_KERNELS_CPU_ATTENTION_TILE_H
#define GW_KERNELS_CPU_ATTENTION_TILE_H

#include "kernels/cpu/vector.h"

#include <stdbool.h>

#if defined GW_ISA_avx512
#define GW_TILE_VECTORS 4
#else
#define GW_TILE_VECTORS 2
#endif
#define GW_TILE_ROWS 4

typedef struct {
    const float *a;
    int64_t row_step, depth_step;
    const float *b;
    float *c;
    int64_t stride; // floats between rows of b and of c
    int64_t rows, depth, width;
    bool add;
} gw_tile_product;

// Rows [row, row + ROWS) and lanes [lane, lane + VECTORS * GW_LANES) of c, held in registers.
#define GW_DEFINE_TILE(ROWS, VECTORS)                                                                                  \
    GW_INLINE void gw_tile_##ROWS##x##VECTORS(const gw_tile_product *p, int64_t row, int64_t lane) {                   \
        const float *a = p->a + row * p->row_step, *b = p->b + lane;                                                   \
        const int64_t row_step = p->row_step, depth_step = p->depth_step, stride = p->stride;                          \
        float *c = p->c + row * stride + lane;                                                                         \
        gw_f32v sum[ROWS][VECTORS];                                                                                    \
        for (int r = 0; r < ROWS; r++)                                                                                 \
            for (int v = 0; v < VECTORS; v++)                                                                          \
                sum[r][v] = p->add ? gw_load(c + r * stride + v * GW_LANES) : gw_all(0.0f);                            \
        for (int64_t t = 0; t < p->depth; t++) {                                                                       \
            gw_f32v lanes[VECTORS];                                                                                    \
            for (int v = 0; v < VECTORS; v++) lanes[v] = gw_load(b + t * stride + v * GW_LANES);                       \
            for (int r = 0; r < ROWS; r++) {                                                                           \
                const gw_f32v one = gw_all(a[r * row_step + t * depth_step]);                                          \
                for (int v = 0; v < VECTORS; v++) sum[r][v] = gw_fma(one, lanes[v], sum[r][v]);                        \
            }                                                                                                          \
        }                                                                                                              \
        for (int r = 0; r < ROWS; r++)                                                                                 \
            for (int v = 0; v < VECTORS; v++) gw_store(c + r * stride + v * GW_LANES, sum[r][v]);                      \
    }
#if GW_TILE_VECTORS == 4
GW_DEFINE_TILE(4, 4)
GW_DEFINE_TILE(1, 4)
#define GW_TILE_LARGE gw_tile_4x4
#define GW_TILE_FLAT gw_tile_1x4
#else
GW_DEFINE_TILE(4, 2)
GW_DEFINE_TILE(1, 2)
#define GW_TILE_LARGE gw_tile_4x2
#define GW_TILE_FLAT gw_tile_1x2
#endif
GW_DEFINE_TILE(4, 1)
GW_DEFINE_TILE(1, 1)

// width is a multiple of GW_LANES.
static __attribute__((noinline, unused)) void gw_tile_multiply(const gw_tile_product *p) {
    int64_t lane = 0;
    for (; lane + GW_TILE_VECTORS * GW_LANES <= p->width; lane += GW_TILE_VECTORS * GW_LANES) {
        int64_t row = 0;
        for (; row + GW_TILE_ROWS <= p->rows; row += GW_TILE_ROWS) GW_TILE_LARGE(p, row, lane);
        for (; row < p->rows; row++) GW_TILE_FLAT(p, row, lane);
    }
    for (; lane < p->width; lane += GW_LANES) {
        int64_t row = 0;
        for (; row + GW_TILE_ROWS <= p->rows; row += GW_TILE_ROWS) gw_tile_4x1(p, row, lane);
        for (; row < p->rows; row++) gw_tile_1x1(p, row, lane);
    }
}

// to[d][i] = scale from[i][d] for i < rows; lanes past them are 0.
GW_INLINE void gw_tile_put(float *to, int64_t stride, const float *from, int64_t from_stride, int64_t rows,
                           int64_t depth, float scale) {
    for (int64_t d = 0; d < depth; d++) {
        for (int64_t i = 0; i < rows; i++) to[d * stride + i] = scale * from[i * from_stride + d];
        for (int64_t i = rows; i < stride; i++) to[d * stride + i] = 0.0f;
    }
}

// to[i][d] += scale tile[d][i] for i < rows
GW_INLINE void gw_tile_add_to(float *to, int64_t to_stride, const float *tile, int64_t stride, int64_t rows,
                              int64_t depth, float scale) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t d = 0; d < depth; d++) to[i * to_stride + d] += scale * tile[d * stride + i];
}

#endif
