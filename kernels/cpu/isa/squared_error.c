// SPDX-License-Identifier: MIT
// loss = (z - y)^2;   gradient = 2 scale (z - y). NaN labels have neither.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

#include <math.h>

enum { GRAIN = 1024 };

static void each_value(void *context, int64_t begin, int64_t end, int thread) {
    const gw_squared_error_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const float difference = isnan(args->label[i]) ? 0.0f : args->logit[i] - args->label[i];
        args->loss[i] = difference * difference;
        if (args->gradient) args->gradient[i] = 2.0f * args->gradient_scale * difference;
    }
}

gw_status GW_KERNEL(squared_error)(const gw_squared_error_args *args) {
    gw_parallel_for(args->count, GRAIN, each_value, (void *)args);
    return GW_OK;
}
