// SPDX-License-Identifier: MIT
// Adam with decoupled weight decay (Loshchilov & Hutter, 2019), g = gradient * norm->scale:
//   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;
//   w -= rate (m / correction1 / (sqrt(v / correction2) + epsilon) + decay w)
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"

#include <math.h>

enum { GRAIN = 16384 };

static void each_weight(void *context, int64_t begin, int64_t end, int thread) {
    const gw_adamw_args *args = context;
    const float beta1 = args->beta1, beta2 = args->beta2, scale = args->norm->scale;
    (void)thread;
    for (int64_t i = begin; i < end; i += GW_LANES) {
        const int64_t left = end - i;
        const gw_f32v g = gw_load_some(args->gradient + i, left) * scale;
        const gw_f32v m = beta1 * gw_load_some(args->first_moment + i, left) + (1.0f - beta1) * g;
        const gw_f32v v = beta2 * gw_load_some(args->second_moment + i, left) + (1.0f - beta2) * g * g;
        const gw_f32v w = gw_load_some(args->weight + i, left);
        const gw_f32v step = m / args->correction1 / (gw_sqrt(v / args->correction2) + args->epsilon);
        gw_store_some(args->first_moment + i, m, left);
        gw_store_some(args->second_moment + i, v, left);
        gw_store_some(args->weight + i, w - args->rate * (step + args->decay * w), left);
    }
}

gw_status GW_KERNEL(adamw)(const gw_adamw_args *args) {
    if (isfinite(args->norm->norm)) gw_parallel_for(args->count, GRAIN, each_weight, (void *)args);
    return GW_OK;
}
