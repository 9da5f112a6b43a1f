// SPDX-License-Identifier: MIT
// Losses of numbers by the formulas of kernels/number_loss.h. There are few values (rows x columns), so libm's
// functions are used. A row's logits are read before their gradient is written, because both may share memory.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

#include <math.h>

enum { GRAIN = 1024 };

// The loss of a number, and its derivatives by z and s.
typedef struct {
    float loss, by_z, by_s;
} term;

static term squared(float z, float y) {
    const float apart = z - y;
    return (term){apart * apart, 2.0f * apart, 0.0f};
}

static term huber(float z, float y, float bend) {
    const float apart = z - y, size = fabsf(apart);
    if (size <= bend) return (term){0.5f * apart * apart, apart, 0.0f};
    return (term){bend * (size - 0.5f * bend), copysignf(bend, apart), 0.0f};
}

static term poisson(float z, float y) {
    const float mean = expf(z);
    return (term){mean - y * z, mean - y, 0.0f};
}

static term gaussian(float z, float s, float y) {
    const float apart = z - y, precision = expf(-s), square = apart * apart * precision;
    return (term){0.5f * (s + square), apart * precision, 0.5f * (1.0f - square)};
}

static term term_of(const gw_number_loss_args *args, const float *logit, float y) {
    switch (args->kind) {
    case GW_NUMBER_LOSS_HUBER: return huber(logit[0], y, args->bend);
    case GW_NUMBER_LOSS_POISSON: return poisson(logit[0], y);
    case GW_NUMBER_LOSS_GAUSSIAN: return gaussian(logit[0], logit[args->columns], y);
    default: return squared(logit[0], y);
    }
}

static void each_value(void *context, int64_t begin, int64_t end, int thread) {
    const gw_number_loss_args *args = context;
    const int64_t columns = args->columns, width = gw_number_logits(args->kind) * columns;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t column = i % columns, at = i / columns * width + column;
        const float weight = args->weight ? args->weight[column] : 1.0f;
        const bool there = !isnan(args->label[i]);
        const term t = there ? term_of(args, args->logit + at, args->label[i]) : (term){0};
        args->loss[i] = weight * t.loss;
        if (!args->gradient) continue;
        args->gradient[at] = weight * args->gradient_scale * t.by_z;
        if (args->kind == GW_NUMBER_LOSS_GAUSSIAN)
            args->gradient[at + columns] = weight * args->gradient_scale * t.by_s;
    }
}

gw_status GW_KERNEL(number_loss)(const gw_number_loss_args *args) {
    gw_parallel_for(args->rows * args->columns, GRAIN, each_value, (void *)args);
    return GW_OK;
}
