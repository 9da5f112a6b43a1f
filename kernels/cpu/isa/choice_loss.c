// SPDX-License-Identifier: MIT
// Choices among logits: two sums of exponentials for each choice, over all entries and over the right ones. There are
// few choices compared with the work of the network, so one thread computes them in order, because choices may share
// logits.
#include "kernels/cpu/isa/isa.h"

#include <math.h>
#include <string.h>

// ln of a sum of e^z as largest + ln(sum).
typedef struct {
    float largest;
    double sum; // of e^(z - largest)
} log_sum;

static float logit_of(const gw_choice_loss_args *args, int64_t i) {
    return args->entry[i] < 0 ? 0.0f : args->logit[args->entry[i]];
}

static log_sum sum_entries(const gw_choice_loss_args *args, int64_t begin, int64_t end, bool right) {
    log_sum of = {-INFINITY, 0.0};
    for (int64_t i = begin; i < end; i++)
        if (!right || args->number[i] > 0.0f) of.largest = fmaxf(of.largest, logit_of(args, i));
    for (int64_t i = begin; i < end; i++)
        if (!right || args->number[i] > 0.0f) of.sum += (double)expf(logit_of(args, i) - of.largest);
    return of;
}

static float share(const log_sum *of, float z) {
    return (float)((double)expf(z - of->largest) / of->sum);
}

static void add_gradient(const gw_choice_loss_args *args, int64_t choice, float weight, log_sum all, log_sum right) {
    const float scale = args->gradient_scale * weight;
    for (int64_t i = args->start[choice]; i < args->start[choice + 1]; i++) {
        if (args->entry[i] < 0) continue;
        const float z = logit_of(args, i);
        float *slope = &args->gradient[args->entry[i]];
        *slope += scale * (share(&all, z) - (args->number[i] > 0.0f ? share(&right, z) : 0.0f));
    }
}

gw_status GW_KERNEL(choice_loss)(const gw_choice_loss_args *args) {
    if (args->gradient) memset(args->gradient, 0, (size_t)args->logits * sizeof *args->gradient);
    for (int64_t c = 0; c < args->choices; c++) {
        const int64_t begin = args->start[c], end = args->start[c + 1];
        float weight = 0.0f;
        for (int64_t i = begin; i < end; i++) weight = fmaxf(weight, args->number[i]);
        args->loss[c] = 0.0f;
        if (!(weight > 0.0f)) continue;
        const log_sum all = sum_entries(args, begin, end, false), right = sum_entries(args, begin, end, true);
        args->loss[c] =
            (float)((double)weight * ((double)all.largest - (double)right.largest + log(all.sum) - log(right.sum)));
        if (args->gradient) add_gradient(args, c, weight, all, right);
    }
    return GW_OK;
}
