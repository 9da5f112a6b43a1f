// SPDX-License-Identifier: MIT
// Binary cross entropy of logits z with labels y in [0, 1] and the label's positive weight w:
//   loss = w y softplus(-z) + (1 - y) softplus(z);   gradient = scale ((1 - y) s(z) - w y s(-z))
// softplus(z) = max(z, 0) + ln(1 + exp(-|z|)). There are few values (rows x labels), so libm's functions are used.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

#include <math.h>

enum { GRAIN = 1024 };

static void each_value(void *context, int64_t begin, int64_t end, int thread) {
    const gw_bce_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const float z = args->logit[i], y = args->label[i], w = args->positive_weight[i % args->labels];
        const bool used = !isnan(y);
        const float small = expf(-fabsf(z)), tail = log1pf(small);
        const float plus = (z < 0 ? 0 : z) + tail, minus = (z > 0 ? 0 : -z) + tail; // softplus(z), softplus(-z)
        const float high = 1.0f / (1.0f + small), low = small / (1.0f + small);     // s(|z|), s(-|z|)
        args->loss[i] = used ? w * y * minus + (1.0f - y) * plus : 0.0f;
        if (!args->gradient) continue;
        const float positive = z < 0 ? low : high, negative = z < 0 ? high : low; // s(z), s(-z)
        args->gradient[i] = used ? args->gradient_scale * ((1.0f - y) * positive - w * y * negative) : 0.0f;
    }
}

gw_status GW_KERNEL(bce)(const gw_bce_args *args) {
    gw_parallel_for(args->count, GRAIN, each_value, (void *)args);
    return GW_OK;
}
