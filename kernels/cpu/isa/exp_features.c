// SPDX-License-Identifier: MIT
// exp_features and its backward pass. Threads share the heads of all sequences.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/isa/vmath.h"

#include <math.h>

// A head of a row.
typedef struct {
    const float *in;
    int64_t at; // its features
} row;

static row row_of(const gw_exp_features_args *args, int64_t r, int64_t head) {
    const int64_t place = r * args->heads + head;
    return (row){args->in + place * args->size, place * args->features};
}

// What comes off the exponents of a row beside the shift.
static float square_of(const gw_exp_features_args *args, const row *x) {
    return args->half * gw_row_product(x->in, x->in, args->size);
}

static float largest_of(const gw_exp_features_args *args, const row *x) {
    const float *projected = args->projected + x->at;
    gw_f32v whole = gw_all(-INFINITY);
    int64_t f = 0;
    for (; f + GW_LANES <= args->features; f += GW_LANES) whole = gw_max(gw_load(projected + f), whole);
    float largest = gw_largest(whole);
    for (; f < args->features; f++) largest = projected[f] > largest ? projected[f] : largest;
    return largest - square_of(args, x);
}

static void write_row(const gw_exp_features_args *args, const row *x, float shift) {
    const float *projected = args->projected + x->at;
    const gw_f32v off = gw_all(square_of(args, x) + shift);
    float *out = args->out + x->at;
    for (int64_t f = 0; f < args->features; f += GW_LANES) {
        const int64_t left = args->features - f;
        gw_store_some(out + f, gw_exp(gw_load_some(projected + f, left) - off), left);
    }
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_exp_features_args *args = context;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t s = item / args->heads, head = item % args->heads;
        float shift = -INFINITY;
        for (int64_t r = args->start[s]; args->of_sequence && r < args->start[s + 1]; r++) {
            const row x = row_of(args, r, head);
            shift = fmaxf(shift, largest_of(args, &x));
        }
        for (int64_t r = args->start[s]; r < args->start[s + 1]; r++) {
            const row x = row_of(args, r, head);
            write_row(args, &x, args->of_sequence ? shift : largest_of(args, &x));
        }
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_exp_features_args *args = context;
    const bool replaces = args->projected_gradient == args->out_gradient;
    (void)thread;
    for (int64_t place = begin; place < end; place++) {
        const row x = row_of(args, place, 0);
        gw_f32v sum = gw_all(0.0f);
        for (int64_t f = 0; f < args->features; f += GW_LANES) {
            const int64_t left = args->features - f, at = x.at + f;
            const gw_f32v e = gw_load_some(args->out_gradient + at, left) * gw_load_some(args->out + at, left);
            float *to = args->projected_gradient + at;
            gw_store_some(to, replaces ? e : e + gw_load_some(to, left), left);
            sum += e;
        }
        gw_add_row(args->in_gradient + (x.in - args->in), x.in, -2 * args->half * gw_sum(sum), args->size);
    }
}

gw_status GW_KERNEL(exp_features)(const gw_exp_features_args *args) {
    gw_parallel_for(args->sequences * args->heads, 1, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(exp_features_backward)(const gw_exp_features_args *args) {
    gw_exp_features_args heads = *args; // each a row of one head
    heads.heads = 1;
    gw_parallel_for(args->start[args->sequences] * args->heads, 16, backward, &heads);
    return GW_OK;
}
