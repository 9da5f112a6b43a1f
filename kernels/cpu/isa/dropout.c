// SPDX-License-Identifier: MIT
// Dropout and residual sum. The random word of an element depends on its site, as in gw_philox() of base/random.h.
//
// Elements form groups of four, one Philox block each. philox.h makes several blocks at a time.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/philox.h"

enum { GROUP = 2 * GW_LANES, GRAIN = 8192 };

// What all draws of a call share: the rounds' keys and the fixed half of the counter.
typedef struct {
    gw_philox_keys keys;
    uint32_t site, step;
} dropout_draws;

// A word below the threshold p 2^32 drops its element.
static uint32_t drop_threshold(float probability) {
    return (uint32_t)ceil((double)probability * 0x1p32);
}

// Lane i of factor = 0 where element begin + i is dropped, scale where it is kept; begin is a multiple of 4.
GW_INLINE void make_factors(const dropout_draws *draws, int64_t begin, uint32_t threshold, float scale,
                            gw_f32v factor[2]) {
    gw_u64v words[2];
    gw_philox_words(&draws->keys, (uint64_t)begin / 4, draws->site, draws->step, words);
    for (int half = 0; half < 2; half++)
        factor[half] = gw_select((gw_i32v)((gw_u32v)words[half] >= threshold), gw_all(scale), gw_all(0.0f));
}

// What one group does with its factors, for the `count` elements from `i` on.
typedef void (*group_body)(const gw_dropout_args *args, int64_t i, int64_t count, const gw_f32v *factor);

GW_INLINE void forward_group(const gw_dropout_args *args, int64_t i, int64_t count, const gw_f32v *factor) {
    for (int64_t lane = 0; lane < count; lane += GW_LANES) {
        const int64_t left = count - lane;
        gw_f32v value = gw_load_some(args->in + i + lane, left) * factor[lane / GW_LANES];
        if (args->residual) value += gw_load_some(args->residual + i + lane, left);
        gw_store_some(args->out + i + lane, value, left);
    }
}

GW_INLINE void backward_group(const gw_dropout_args *args, int64_t i, int64_t count, const gw_f32v *factor) {
    for (int64_t lane = 0; lane < count; lane += GW_LANES) {
        const int64_t left = count - lane;
        const gw_f32v gradient = gw_load_some(args->out_gradient + i + lane, left);
        if (args->in_gradient) {
            float *to = args->in_gradient + i + lane;
            gw_f32v product = gradient * factor[lane / GW_LANES];
            if (args->in_gradient != args->out_gradient) product += gw_load_some(to, left);
            gw_store_some(to, product, left);
        }
        if (args->residual_gradient && args->residual_gradient != args->out_gradient) {
            float *to = args->residual_gradient + i + lane;
            gw_store_some(to, args->overwrites ? gradient : gw_load_some(to, left) + gradient, left);
        }
    }
}

// Elements [begin, end), of which number i is drawn as number first + i.
GW_INLINE void each_group(const gw_dropout_args *args, int64_t first, int64_t begin, int64_t end, group_body body) {
    const uint32_t threshold = drop_threshold(args->probability);
    const float scale = 1.0f / (1.0f - args->probability);
    gw_f32v factor[2] = {gw_all(1.0f), gw_all(1.0f)};
    const dropout_draws draws = {gw_philox_begin(args->seed), args->site, args->step};
    for (int64_t i = begin; i < end; i += GROUP) {
        if (args->probability > 0.0f) make_factors(&draws, first + i, threshold, scale, factor);
        body(args, i, end - i < GROUP ? end - i : GROUP, factor);
    }
}

// Items are elements, or rows that lie apart.
GW_INLINE void each_item(const gw_dropout_args *args, int64_t begin, int64_t end, group_body body) {
    if (!args->row) {
        each_group(args, args->first_element, begin, end, body);
        return;
    }
    for (int64_t r = begin; r < end; r++) {
        const int64_t i = r * args->width, drawn_as = args->first_element + args->row[r] * args->width;
        each_group(args, drawn_as - i, i, i + args->width, body);
    }
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    each_item(context, begin, end, forward_group);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    each_item(context, begin, end, backward_group);
}

static void run(const gw_dropout_args *args, gw_parallel_body body) {
    if (args->row) gw_parallel_for(args->count / args->width, 1 + GRAIN / args->width, body, (void *)args);
    else gw_parallel_for(args->count, GRAIN, body, (void *)args);
}

gw_status GW_KERNEL(dropout_add)(const gw_dropout_args *args) {
    run(args, forward);
    return GW_OK;
}

gw_status GW_KERNEL(dropout_add_backward)(const gw_dropout_args *args) {
    run(args, backward);
    return GW_OK;
}
