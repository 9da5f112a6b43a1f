// SPDX-License-Identifier: MIT
// Numbers of Adam and LAMB that change from step to step.
#ifndef GW_KERNELS_CUDA_ADAM_RATES_H
#define GW_KERNELS_CUDA_ADAM_RATES_H

#include "kernels/cuda/changing.h"

struct gpu_adam_rates {
    float rate, correction1, correction2;
};

static inline gpu_changing<gpu_adam_rates> gw_cuda_adam_rates(const gw_adamw_args *args) {
    return gw_cuda_changing(gpu_adam_rates{args->rate, args->correction1, args->correction2});
}

static inline gw_adamw_args gw_cuda_without_rates(const gw_adamw_args *args) {
    gw_adamw_args a = *args;
    a.rate = a.correction1 = a.correction2 = 0;
    return a;
}

#endif
