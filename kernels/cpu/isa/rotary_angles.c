// SPDX-License-Identifier: MIT
// Tables of the cosines and sines of rotary positions, computed once by libm in double precision.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

#include <math.h>

// One column each: the frequency is that of j.
static void each_frequency(void *context, int64_t begin, int64_t end, int thread) {
    const gw_rotary_angles_args *args = context;
    const int64_t half = args->rotary / 2;
    (void)thread;
    for (int64_t j = begin; j < end; j++) {
        const float power = (float)pow(args->base, 2.0 * (double)j / (double)args->rotary);
        const float frequency = args->frequency ? args->frequency[j] : 1.0f / power;
        for (int64_t position = 0; position < args->positions; position++) {
            const float angle = (float)position * frequency;
            args->cosine[position * half + j] = (float)cos((double)angle);
            args->sine[position * half + j] = (float)sin((double)angle);
        }
    }
}

gw_status GW_KERNEL(rotary_angles)(const gw_rotary_angles_args *args) {
    gw_parallel_for(args->rotary / 2, 1, each_frequency, (void *)args);
    return GW_OK;
}
