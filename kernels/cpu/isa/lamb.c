// SPDX-License-Identifier: MIT
// LAMB for one tensor (You et al., 2020, Algorithm 2), with m, v and g as in adamw:
//   u = m / correction1 / (sqrt(v / correction2) + epsilon) + decay w;  w -= rate |w| / |u| u
// Squares are summed in PARTS fixed runs, so that the order does not depend on the number of threads. u is computed
// twice and never stored.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"

#include <math.h>

enum { PARTS = 256, GRAIN = 16384 };

typedef struct {
    const gw_adamw_args *args;
    double weights[PARTS], updates[PARTS]; // squares
    float rate;                            // with the ratio of the norms
} job;

GW_INLINE gw_f32v update_of(const gw_adamw_args *args, gw_f32v m, gw_f32v v, gw_f32v w) {
    return m / args->correction1 / (gw_sqrt(v / args->correction2) + args->epsilon) + args->decay * w;
}

// Moments of the weights from `begin` to `end`, and the squares of these.
static void move_run(job *j, int64_t part, int64_t begin, int64_t end) {
    const gw_adamw_args *args = j->args;
    const float beta1 = args->beta1, beta2 = args->beta2, scale = args->norm->scale;
    double weights = 0, updates = 0;
    for (int64_t i = begin; i < end; i += GW_LANES) {
        const int64_t left = end - i;
        const gw_f32v g = gw_load_some(args->gradient + i, left) * scale;
        const gw_f32v m = beta1 * gw_load_some(args->first_moment + i, left) + (1.0f - beta1) * g;
        const gw_f32v v = beta2 * gw_load_some(args->second_moment + i, left) + (1.0f - beta2) * g * g;
        const gw_f32v w = gw_load_some(args->weight + i, left), u = update_of(args, m, v, w);
        gw_store_some(args->first_moment + i, m, left);
        gw_store_some(args->second_moment + i, v, left);
        weights += (double)gw_sum(w * w);
        updates += (double)gw_sum(u * u);
    }
    j->weights[part] = weights;
    j->updates[part] = updates;
}

static void move_parts(void *context, int64_t begin, int64_t end, int thread) {
    job *j = context;
    const int64_t count = j->args->count, length = (count + PARTS - 1) / PARTS;
    (void)thread;
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = part * length, last = first + length;
        move_run(j, part, first, last < count ? last : count);
    }
}

static void each_weight(void *context, int64_t begin, int64_t end, int thread) {
    const job *j = context;
    const gw_adamw_args *args = j->args;
    (void)thread;
    for (int64_t i = begin; i < end; i += GW_LANES) {
        const int64_t left = end - i;
        const gw_f32v m = gw_load_some(args->first_moment + i, left), v = gw_load_some(args->second_moment + i, left);
        const gw_f32v w = gw_load_some(args->weight + i, left);
        gw_store_some(args->weight + i, w - j->rate * update_of(args, m, v, w), left);
    }
}

gw_status GW_KERNEL(lamb)(const gw_adamw_args *args) {
    job j = {.args = args};
    double weights = 0, updates = 0;
    if (!isfinite(args->norm->norm)) return GW_OK;
    gw_parallel_for(PARTS, 8, move_parts, &j);
    for (int part = 0; part < PARTS; part++) weights += j.weights[part], updates += j.updates[part];
    j.rate = (float)((double)args->rate * (weights > 0 && updates > 0 ? sqrt(weights / updates) : 1));
    gw_parallel_for(args->count, GRAIN, each_weight, &j);
    return GW_OK;
}
