// SPDX-License-Identifier: MIT
// loss = ln sum_v exp(z_v) - sum_v t_v z_v for each row of V logits z, the softmax gradient, and the best class.
// Without smoothing t selects the label's logit; otherwise t is 1 - smoothing there and smoothing / (V - 1) at all
// others.
//
// With weights w and focus g (only without smoothing), the loss is w q^g l, with l as above, p = exp -l and q = 1 - p.
// Its gradient is w (q^g + g p q^(g - 1) l) times the softmax gradient.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vmath.h"

enum { GRAIN = 4 };

static float largest_of(const float *logit, int64_t classes) {
    gw_f32v largest = gw_all(-INFINITY);
    int64_t v = 0;
    for (; v + GW_LANES <= classes; v += GW_LANES) largest = gw_max(gw_load(logit + v), largest);
    float best = gw_largest(largest);
    for (; v < classes; v++) best = logit[v] > best ? logit[v] : best;
    return best;
}

static int32_t first_equal(const float *logit, int64_t classes, float value) {
    for (int64_t v = 0; v < classes; v++)
        if (logit[v] == value) return (int32_t)v;
    return 0; // only where nothing compares: NaN
}

static float sum_exp(const float *logit, int64_t classes, float largest) {
    gw_f32v sum = {0};
    for (int64_t v = 0; v < classes; v += GW_LANES) {
        gw_f32v shifted = gw_load_some(logit + v, classes - v) - largest;
        for (int64_t lane = classes - v; lane < GW_LANES; lane++) shifted[lane] = -INFINITY;
        sum += gw_exp_bounded(shifted);
    }
    return gw_sum(sum);
}

// Of a class that is not the label.
static float share(const gw_cross_entropy_args *args) {
    return args->smoothing > 0 ? args->smoothing / (float)(args->classes - 1) : 0.0f;
}

// sum_v t_v (z_v - largest)
static float expected_logit(const gw_cross_entropy_args *args, const float *logit, int32_t label, float largest) {
    const float at_label = logit[label] - largest;
    if (args->smoothing == 0) return at_label;
    gw_f32v sum = {0};
    for (int64_t v = 0; v < args->classes; v += GW_LANES) {
        gw_f32v shifted = gw_load_some(logit + v, args->classes - v) - largest;
        for (int64_t lane = args->classes - v; lane < GW_LANES; lane++) shifted[lane] = 0.0f;
        sum += shifted;
    }
    return (1.0f - args->smoothing - share(args)) * at_label + share(args) * gw_sum(sum);
}

// What a row's loss l and its softmax gradient are multiplied by.
typedef struct {
    float loss, gradient;
} row_factors;

static row_factors factors_of(const gw_cross_entropy_args *args, int32_t label, float loss) {
    const float weight = args->weight ? args->weight[label] : 1.0f, g = args->focus, q = -expm1f(-loss);
    if (g == 0) return (row_factors){weight, weight};
    const float power = weight * powf(q, g);
    return (row_factors){power, q > 0 ? power * (1.0f + g * (1.0f - q) * loss / q) : 0.0f};
}

static void write_gradient(const gw_cross_entropy_args *args, int64_t row, float largest, float sum, float factor) {
    const float *logit = args->logit + row * args->logit_stride;
    float *gradient = args->gradient + row * args->logit_stride;
    const float by = args->gradient_scale * factor, scale = by / sum, other = by * share(args);
    for (int64_t v = 0; v < args->classes; v += GW_LANES) {
        const int64_t left = args->classes - v;
        gw_store_some(gradient + v, scale * gw_exp_bounded(gw_load_some(logit + v, left) - largest) - other, left);
    }
    gradient[args->label[row]] -= by * (1.0f - args->smoothing) - other;
}

static void each_row(void *context, int64_t begin, int64_t end, int thread) {
    const gw_cross_entropy_args *args = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const float *logit = args->logit + row * args->logit_stride;
        const int32_t label = args->label[row];
        const float largest = largest_of(logit, args->classes);
        if (args->best) args->best[row] = first_equal(logit, args->classes, largest);
        args->loss[row] = 0.0f;
        if (label >= 0) {
            const float sum = sum_exp(logit, args->classes, largest);
            const float loss = logf(sum) - expected_logit(args, logit, label, largest);
            const row_factors by = factors_of(args, label, loss);
            args->loss[row] = by.loss * loss;
            if (args->gradient) write_gradient(args, row, largest, sum, by.gradient);
        } else if (args->gradient) {
            memset(args->gradient + row * args->logit_stride, 0, (size_t)args->classes * sizeof(float));
        }
    }
}

gw_status GW_KERNEL(cross_entropy)(const gw_cross_entropy_args *args) {
    gw_parallel_for(args->rows, GRAIN, each_row, (void *)args);
    return GW_OK;
}
