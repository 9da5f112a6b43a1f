// SPDX-License-Identifier: MIT
// The norm of a gradient and the factor for clipping. Squares are summed in double precision in PARTS fixed runs, each
// summed by lanes, so that the order does not depend on the number of threads.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

#include <math.h>

enum { PARTS = 256 };

typedef struct {
    const gw_gradient_norm_args *args;
    double part[PARTS];
} sums;

static double sum_run(const float *in, int64_t count) {
    double lane[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int j = 0; j < 8; j++) lane[j] += (double)in[i + j] * (double)in[i + j];
    for (; i < count; i++) lane[0] += (double)in[i] * (double)in[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static void sum_parts(void *context, int64_t begin, int64_t end, int thread) {
    sums *work = context;
    const int64_t length = (work->args->count + PARTS - 1) / PARTS;
    (void)thread;
    for (int64_t part = begin; part < end; part++) {
        const int64_t left = work->args->count - part * length;
        work->part[part] = left > 0 ? sum_run(work->args->in + part * length, left < length ? left : length) : 0.0;
    }
}

gw_status GW_KERNEL(gradient_norm)(const gw_gradient_norm_args *args) {
    sums work = {.args = args};
    gw_parallel_for(PARTS, 8, sum_parts, &work);
    double total = 0.0;
    for (int part = 0; part < PARTS; part++) total += work.part[part];
    const double norm = sqrt(total);
    *args->out = (gw_gradient_norm){norm, (float)(args->clip > 0 && norm > args->clip ? args->clip / norm : 1)};
    return GW_OK;
}
