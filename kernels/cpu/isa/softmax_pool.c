// SPDX-License-Identifier: MIT
// softmax_pool and its backward pass. Threads share the windows. Both passes compute the softmax of a window, so that
// nothing is kept.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/pool_window.h"
#include "kernels/cpu/isa/vmath.h"

// A vector of columns of a window: the largest logit, the sum of e^(logit - largest), and the pooled values.
typedef struct {
    gw_f32v largest, sum, out;
} pooled;

GW_INLINE gw_f32v power_of(const pooled *p, const float *logit, int64_t left) {
    return gw_exp_bounded(gw_load_some(logit, left) - p->largest);
}

GW_INLINE pooled pool_columns(const gw_softmax_pool_args *args, gw_pool_window w, int64_t column) {
    const int64_t width = args->pool.width, left = width - column, first = w.first * width + column;
    const float *in = args->pool.in + first, *logit = args->logit + first;
    pooled p = {gw_load_some(logit, left), gw_all(0.0f), gw_all(0.0f)};
    for (int64_t r = 1; r < w.count; r++) p.largest = gw_max(p.largest, gw_load_some(logit + r * width, left));
    for (int64_t r = 0; r < w.count; r++) {
        const gw_f32v power = power_of(&p, logit + r * width, left);
        p.sum += power;
        p.out = gw_fma(power, gw_load_some(in + r * width, left), p.out);
    }
    p.out /= p.sum;
    return p;
}

static void pool_windows(void *context, int64_t begin, int64_t end, int thread) {
    const gw_softmax_pool_args *args = context;
    const int64_t width = args->pool.width;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const gw_pool_window w = gw_pool_window_of(&args->pool, row);
        for (int64_t i = 0; i < width; i += GW_LANES)
            gw_store_some(args->pool.out + row * width + i, pool_columns(args, w, i).out, width - i);
    }
}

GW_INLINE void add_some(float *to, gw_f32v v, int64_t left) {
    gw_store_some(to, gw_load_some(to, left) + v, left);
}

static void spread_windows(void *context, int64_t begin, int64_t end, int thread) {
    const gw_softmax_pool_args *args = context;
    const int64_t width = args->pool.width;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const gw_pool_window w = gw_pool_window_of(&args->pool, row);
        for (int64_t i = 0; i < width; i += GW_LANES) {
            const int64_t left = width - i;
            const pooled p = pool_columns(args, w, i);
            const gw_f32v gradient = gw_load_some(args->out_gradient + row * width + i, left);
            for (int64_t at = w.first * width + i, r = 0; r < w.count; r++, at += width) {
                const gw_f32v share = power_of(&p, args->logit + at, left) / p.sum * gradient;
                add_some(args->in_gradient + at, share, left);
                add_some(args->logit_gradient + at, share * (gw_load_some(args->pool.in + at, left) - p.out), left);
            }
        }
    }
}

gw_status GW_KERNEL(softmax_pool)(const gw_softmax_pool_args *args) {
    gw_parallel_for(args->pool.coarser_rows, GW_POOL_GRAIN, pool_windows, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(softmax_pool_backward)(const gw_softmax_pool_args *args) {
    gw_parallel_for(args->pool.coarser_rows, GW_POOL_GRAIN, spread_windows, (void *)args);
    return GW_OK;
}
