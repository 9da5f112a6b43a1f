// SPDX-License-Identifier: MIT
// Adam with decoupled weight decay: four weights a thread.
#include "kernels/cuda/adam_rates.h"
#include "kernels/cuda/four.h"

static __global__ void adamw(gw_adamw_args a, gpu_changing<gpu_adam_rates> rates) {
    if (!isfinite(a.norm->norm)) return; // the whole grid
    const float scale = a.norm->scale;
    const gpu_adam_rates now = gpu_number(rates);
    gpu_for_four(a.count, [&](int64_t i) {
        gpu_four w = gpu_load_four(a.weight, i, a.count), m = gpu_load_four(a.first_moment, i, a.count);
        gpu_four v = gpu_load_four(a.second_moment, i, a.count);
        const gpu_four gradient = gpu_load_four(a.gradient, i, a.count);
        for (int k = 0; k < 4; k++) {
            const float g = gradient.value[k] * scale;
            m.value[k] = a.beta1 * m.value[k] + (1.0f - a.beta1) * g;
            v.value[k] = a.beta2 * v.value[k] + (1.0f - a.beta2) * g * g;
            const float step = m.value[k] / now.correction1 / (sqrtf(v.value[k] / now.correction2) + a.epsilon);
            w.value[k] -= now.rate * (step + a.decay * w.value[k]);
        }
        gpu_store_four(a.weight, i, a.count, w);
        gpu_store_four(a.first_moment, i, a.count, m);
        gpu_store_four(a.second_moment, i, a.count, v);
    });
}

GW_CUDA_OP(adamw, gw_adamw_args) {
    return gw_cuda_launch_elements("adamw", adamw, gw_cuda_divide(args->count, 4), gw_cuda_without_rates(args),
                                   gw_cuda_adam_rates(args));
}
