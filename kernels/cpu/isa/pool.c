// SPDX-License-Identifier: MIT
// pool and unpool: from the rows of a window to its one row, and back. Threads share the windows.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/pool_window.h"
#include "kernels/cpu/isa/vector.h"

// A NaN is larger than any number.
GW_INLINE gw_i32v is_larger(gw_f32v a, gw_f32v b) {
    return (a > b) | (a != a);
}

GW_INLINE gw_f32v largest(const float *in, const gw_pool_args *args, int64_t rows, int64_t left) {
    gw_f32v most = gw_load_some(in, left);
    for (int64_t r = 1; r < rows; r++) {
        const gw_f32v x = gw_load_some(in + r * args->width, left);
        most = gw_select(is_larger(x, most), x, most);
    }
    return most;
}

GW_INLINE gw_f32v sum(const float *in, const gw_pool_args *args, int64_t rows, int64_t left) {
    gw_f32v total = gw_load_some(in, left);
    for (int64_t r = 1; r < rows; r++) total += gw_load_some(in + r * args->width, left);
    return total;
}

GW_INLINE void put(float *out, gw_f32v v, const gw_pool_args *args, int64_t left) {
    gw_store_some(out, args->adds ? gw_load_some(out, left) + v : v, left);
}

static void pool_windows(void *context, int64_t begin, int64_t end, int thread) {
    const gw_pool_args *args = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const gw_pool_window w = gw_pool_window_of(args, row);
        for (int64_t i = 0; i < args->width; i += GW_LANES) {
            const float *in = args->in + w.first * args->width + i;
            const int64_t left = args->width - i;
            gw_f32v v = args->how == GW_POOL_MAX ? largest(in, args, w.count, left) : sum(in, args, w.count, left);
            if (args->how == GW_POOL_MEAN) v /= (float)w.count;
            put(args->out + row * args->width + i, v, args, left);
        }
    }
}

// To the first row alone that has the largest value.
GW_INLINE void spread_to_largest(const gw_pool_args *args, gw_pool_window w, int64_t column, gw_f32v v) {
    const int64_t left = args->width - column;
    const float *of = args->of + w.first * args->width + column;
    float *out = args->out + w.first * args->width + column;
    gw_f32v most = gw_load_some(of, left);
    gw_i32v place = {0};
    for (int32_t r = 1; r < w.count; r++) {
        const gw_f32v x = gw_load_some(of + r * args->width, left);
        const gw_i32v larger = is_larger(x, most) & ~(most != most); // the first NaN stays
        most = gw_select(larger, x, most);
        place = (place & ~larger) | (larger & r);
    }
    for (int32_t r = 0; r < w.count; r++)
        put(out + r * args->width, gw_select(place == r, v, gw_all(0.0f)), args, left);
}

static void unpool_windows(void *context, int64_t begin, int64_t end, int thread) {
    const gw_pool_args *args = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const gw_pool_window w = gw_pool_window_of(args, row);
        for (int64_t i = 0; i < args->width; i += GW_LANES) {
            const int64_t left = args->width - i;
            gw_f32v v = gw_load_some(args->in + row * args->width + i, left);
            if (args->how == GW_POOL_MEAN) v /= (float)w.count;
            if (args->how == GW_POOL_MAX) spread_to_largest(args, w, i, v);
            else
                for (int64_t r = 0; r < w.count; r++) put(args->out + (w.first + r) * args->width + i, v, args, left);
        }
    }
}

gw_status GW_KERNEL(pool)(const gw_pool_args *args) {
    gw_parallel_for(args->coarser_rows, GW_POOL_GRAIN, pool_windows, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(unpool)(const gw_pool_args *args) {
    gw_parallel_for(args->coarser_rows, GW_POOL_GRAIN, unpool_windows, (void *)args);
    return GW_OK;
}
