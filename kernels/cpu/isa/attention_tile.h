// SPDX-License-Identifier: MIT
// The product of block attention: c[r][i] (+)= sum_t a(r, t) b[t][i].
//
// b and c are tiles in scratch memory with the tokens i of the work item's own block as lanes. a is the rows of the
// other side in place, read one number at a time: a(r, t) = a[r row_step + t depth_step]. Keys and values are therefore
// never packed or transposed, any head size works without a tail, and softmax needs no sums across lanes.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_TILE_H
#define GW_KERNELS_CPU_ISA_ATTENTION_TILE_H

#include "kernels/cpu/isa/vector.h"

#include <stdbool.h>

// Vectors in a tile's width: 6 x 4 sums fill the 32 registers of AVX-512, 6 x 2 the 16 registers of the others.
#if defined GW_ISA_avx512
#define GW_TILE_VECTORS 4
#else
#define GW_TILE_VECTORS 2
#endif

// Rounded up to whole vectors.
GW_INLINE int64_t gw_in_lanes(int64_t count) {
    return (count + GW_LANES - 1) / GW_LANES * GW_LANES;
}

// Rows in place for a later product. Each strip of this product prefetches some of them, a row at a time. Prefetching
// all at once would fill the queue of cache misses and stall it.
typedef struct {
    const float *from;
    int64_t step, rows, depth;
} gw_prefetch;

typedef struct {
    const float *a;
    int64_t row_step, depth_step;
    const float *b;
    float *c;
    int64_t stride; // floats between rows of b and of c
    int64_t rows, depth, width;
    bool add;
    gw_prefetch prefetch;
} gw_tile_product;

enum { GW_LINE = 16, GW_KEEP_IN_L1 = 3 }; // floats of a cache line; locality of __builtin_prefetch

GW_INLINE void gw_prefetch_row(const gw_prefetch *prefetch, int64_t row) {
    if (row >= prefetch->rows) return;
    for (int64_t d = 0; d < prefetch->depth; d += GW_LINE)
        __builtin_prefetch(prefetch->from + row * prefetch->step + d, 0, GW_KEEP_IN_L1);
}

// The kind of multiplication: NAME_broadcast() makes a vector from one number of a; NAME_multiply_add() adds its
// products with a vector of b to the sums.
GW_INLINE gw_f32v gw_tile_broadcast(const float *a) {
    return gw_all(*a);
}

GW_INLINE gw_f32v gw_tile_multiply_add(gw_f32v one, gw_f32v lanes, gw_f32v sum) {
    return gw_fma(one, lanes, sum);
}

// Rows [row, row + ROWS) and lanes [lane, lane + VECTORS * GW_LANES) of c, kept in registers.
#define GW_DEFINE_TILE(NAME, TARGET, ROWS, VECTORS)                                                                    \
    TARGET GW_INLINE void NAME##_##ROWS##x##VECTORS(const gw_tile_product *p, int64_t row, int64_t lane,               \
                                                    const bool add) {                                                  \
        const float *a = p->a + row * p->row_step, *b = p->b + lane;                                                   \
        const int64_t row_step = p->row_step, depth_step = p->depth_step, stride = p->stride;                          \
        float *c = p->c + row * stride + lane;                                                                         \
        gw_f32v sum[ROWS][VECTORS];                                                                                    \
        const float *before = c;                                                                                       \
        for (int r = 0; r < ROWS; r++, before += stride)                                                               \
            for (int v = 0; v < VECTORS; v++) sum[r][v] = add ? gw_load(before + v * GW_LANES) : gw_all(0.0f);         \
        const int64_t chunk = row < p->prefetch.rows ? (p->depth + ROWS - 1) / ROWS : p->depth;                        \
        for (int64_t t = 0, asked = row; t < p->depth; asked++) {                                                      \
            gw_prefetch_row(&p->prefetch, asked);                                                                      \
            for (const int64_t end = t + chunk < p->depth ? t + chunk : p->depth; t < end; t++) {                      \
                gw_f32v lanes[VECTORS];                                                                                \
                for (int v = 0; v < VECTORS; v++) lanes[v] = gw_load(b + t * stride + v * GW_LANES);                   \
                for (int r = 0; r < ROWS; r++) {                                                                       \
                    const gw_f32v one = NAME##_broadcast(a + r * row_step + t * depth_step);                           \
                    for (int v = 0; v < VECTORS; v++) sum[r][v] = NAME##_multiply_add(one, lanes[v], sum[r][v]);       \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (int r = 0; r < ROWS; r++, c += stride)                                                                    \
            for (int v = 0; v < VECTORS; v++) gw_store(c + v * GW_LANES, sum[r][v]);                                   \
    }
// All rows of the lanes from `lane` on: groups of six, then the rest.
#define GW_DEFINE_TILES(NAME, TARGET, VECTORS)                                                                         \
    GW_DEFINE_TILE(NAME, TARGET, 6, VECTORS)                                                                           \
    GW_DEFINE_TILE(NAME, TARGET, 4, VECTORS)                                                                           \
    GW_DEFINE_TILE(NAME, TARGET, 1, VECTORS)                                                                           \
    TARGET GW_INLINE void NAME##_rows_##VECTORS(const gw_tile_product *p, int64_t lane, const bool add) {              \
        int64_t row = 0;                                                                                               \
        for (; row + 6 <= p->rows; row += 6) NAME##_6x##VECTORS(p, row, lane, add);                                    \
        for (; row + 4 <= p->rows; row += 4) NAME##_4x##VECTORS(p, row, lane, add);                                    \
        for (; row < p->rows; row++) NAME##_1x##VECTORS(p, row, lane, add);                                            \
    }
#if GW_TILE_VECTORS == 4
#define GW_DEFINE_WIDE_TILES(NAME, TARGET) GW_DEFINE_TILES(NAME, TARGET, 4)
#define GW_WIDE_ROWS(NAME) NAME##_rows_4
#else
#define GW_DEFINE_WIDE_TILES(NAME, TARGET) GW_DEFINE_TILES(NAME, TARGET, 2)
#define GW_WIDE_ROWS(NAME) NAME##_rows_2
#endif

// NAME_multiply(product); its width must be a multiple of GW_LANES.
#define GW_DEFINE_MULTIPLY(NAME, TARGET)                                                                               \
    GW_DEFINE_TILES(NAME, TARGET, 1)                                                                                   \
    GW_DEFINE_WIDE_TILES(NAME, TARGET)                                                                                 \
    TARGET GW_INLINE void NAME##_lanes(const gw_tile_product *p, const bool add) {                                     \
        int64_t lane = 0;                                                                                              \
        for (; lane + GW_TILE_VECTORS * GW_LANES <= p->width; lane += GW_TILE_VECTORS * GW_LANES)                      \
            GW_WIDE_ROWS(NAME)(p, lane, add);                                                                          \
        for (; lane < p->width; lane += GW_LANES) NAME##_rows_1(p, lane, add);                                         \
    }                                                                                                                  \
    TARGET static __attribute__((noinline, unused)) void NAME##_multiply(const gw_tile_product *p) {                   \
        if (p->add) NAME##_lanes(p, true);                                                                             \
        else NAME##_lanes(p, false);                                                                                   \
    }
GW_DEFINE_MULTIPLY(gw_tile, )

// v[r] = from[r][0 .. lanes) for r < rows, the rest 0, transposed.
GW_INLINE void gw_tile_square(gw_f32v v[GW_LANES], const float *from, int64_t from_stride, int64_t rows,
                              int64_t lanes) {
    for (int64_t r = 0; r < GW_LANES; r++) v[r] = r < rows ? gw_load_some(from + r * from_stride, lanes) : gw_all(0.0f);
    gw_transpose(v);
}

// to[d][i] = scale from[i][d] for i < rows; further lanes are 0.
static __attribute__((noinline, unused)) void gw_tile_put(float *to, int64_t stride, const float *from,
                                                          int64_t from_stride, int64_t rows, int64_t depth,
                                                          float scale) {
    for (int64_t i = 0; i < stride; i += GW_LANES)
        for (int64_t d = 0; d < depth; d += GW_LANES) {
            gw_f32v v[GW_LANES];
            gw_tile_square(v, from + i * from_stride + d, from_stride, rows - i, depth - d);
            for (int64_t k = 0; k < GW_LANES && d + k < depth; k++) gw_store(to + (d + k) * stride + i, v[k] * scale);
        }
}

// to[i][d] = (to[i][d] where `add`) + scale tile[d][i] for i < rows
static __attribute__((noinline, unused)) void gw_tile_get(float *to, int64_t to_stride, const float *tile,
                                                          int64_t stride, int64_t rows, int64_t depth, float scale,
                                                          bool add) {
    for (int64_t i = 0; i < rows; i += GW_LANES)
        for (int64_t d = 0; d < depth; d += GW_LANES) {
            gw_f32v v[GW_LANES];
            gw_tile_square(v, tile + d * stride + i, stride, depth - d, GW_LANES);
            for (int64_t k = 0; k < GW_LANES && i + k < rows; k++) {
                float *row = to + (i + k) * to_stride + d;
                const gw_f32v before = add ? gw_load_some(row, depth - d) : gw_all(0.0f);
                gw_store_some(row, before + v[k] * scale, depth - d);
            }
        }
}

#endif
