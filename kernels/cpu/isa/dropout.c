// SPDX-License-Identifier: MIT
// Dropout and residual sum; the random word of an element is drawn by its site, as base/random.h's gw_philox gives it.
//
// Elements go in groups of four, one Philox block each, DRAWS blocks at a time: c0 .. c3 are the four words of the
// counters, each in the low half of a 64-bit lane, since a round is two products of 32 x 32 -> 64 bits;
// the high halves hold what is left over and are never read.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"

enum { DRAWS = GW_LANES / 2, GROUP = 2 * GW_LANES, GRAIN = 8192, ROUNDS = 10 };

// What all draws of a call share, as vectors: the lanes' numbers, the fixed half of the counter, the rounds' keys.
typedef struct {
    gw_u64v lane, site, step, key[ROUNDS][2];
} dropout_draws;

static void begin_draws(const gw_dropout_args *args, dropout_draws *draws) {
    const gw_u64v zero = {0};
    for (int b = 0; b < DRAWS; b++) draws->lane[b] = (uint64_t)b;
    draws->site = zero + args->site;
    draws->step = zero + args->step;
    gw_u64v k0 = zero + (uint32_t)args->seed, k1 = zero + (args->seed >> 32);
    for (int round = 0; round < ROUNDS; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        draws->key[round][0] = k0;
        draws->key[round][1] = k1;
    }
}

// Lane 4 b + w of out = word w of the block with counter {first + b as 64 bits, site, step}, b < DRAWS
GW_INLINE void draw_words(const dropout_draws *draws, uint64_t first, gw_u64v out[2]) {
    const gw_u64v zero = {0}, multiplier0 = zero + 0xD2511F53u, multiplier1 = zero + 0xCD9E8D57u;
    const gw_u64v index = draws->lane + first;
    gw_u64v c0 = index, c1 = index >> 32, c2 = draws->site, c3 = draws->step;
    for (int round = 0; round < ROUNDS; round++) {
        const gw_u64v p0 = gw_multiply_low(c0, multiplier0), p1 = gw_multiply_low(c2, multiplier1);
        c0 = (p1 >> 32) ^ c1 ^ draws->key[round][0];
        c2 = (p0 >> 32) ^ c3 ^ draws->key[round][1];
        c1 = p1;
        c3 = p0;
    }
    const gw_u64v first_pair = (c0 & 0xffffffffu) | c1 << 32, second_pair = (c2 & 0xffffffffu) | c3 << 32;
    gw_interleave(first_pair, second_pair, out);
}

// A word below the threshold p 2^32 drops its element.
static uint32_t drop_threshold(float probability) {
    return (uint32_t)ceil((double)probability * 0x1p32);
}

// Lane i of factor = 0 where element begin + i is dropped, scale where it is kept; begin is a multiple of 4.
GW_INLINE void make_factors(const dropout_draws *draws, int64_t begin, uint32_t threshold, float scale,
                            gw_f32v factor[2]) {
    gw_u64v words[2];
    draw_words(draws, (uint64_t)begin / 4, words);
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
    dropout_draws draws;
    begin_draws(args, &draws);
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
