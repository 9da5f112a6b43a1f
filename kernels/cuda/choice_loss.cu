// SPDX-License-Identifier: MIT
// Choices among logits: one thread takes them in their order, as they may share logits. They are as few as a sequence's
// tokens times its questions, beside a network that made them.
#include "kernels/cuda/changing.h"

namespace {

// ln of a sum of e^z as largest + ln(sum).
struct log_sum {
    float largest;
    double sum; // of e^(z - largest)
};

GPU_FN float logit_of(const gw_choice_loss_args &a, int64_t i) {
    return a.entry[i] < 0 ? 0.0f : a.logit[a.entry[i]];
}

GPU_FN log_sum sum_entries(const gw_choice_loss_args &a, int64_t begin, int64_t end, bool right) {
    log_sum of = {-INFINITY, 0.0};
    for (int64_t i = begin; i < end; i++)
        if (!right || a.number[i] > 0.0f) of.largest = fmaxf(of.largest, logit_of(a, i));
    for (int64_t i = begin; i < end; i++)
        if (!right || a.number[i] > 0.0f) of.sum += double(expf(logit_of(a, i) - of.largest));
    return of;
}

GPU_FN float share(const log_sum &of, float z) {
    return float(double(expf(z - of.largest)) / of.sum);
}

GPU_FN void add_gradient(const gw_choice_loss_args &a, int64_t choice, float scale, const log_sum &all,
                         const log_sum &right) {
    for (int64_t i = a.start[choice]; i < a.start[choice + 1]; i++) {
        if (a.entry[i] < 0) continue;
        const float z = logit_of(a, i);
        a.gradient[a.entry[i]] += scale * (share(all, z) - (a.number[i] > 0.0f ? share(right, z) : 0.0f));
    }
}

GPU_FN void take_choice(const gw_choice_loss_args &a, float scale, int64_t choice) {
    const int64_t begin = a.start[choice], end = a.start[choice + 1];
    float weight = 0.0f;
    for (int64_t i = begin; i < end; i++) weight = fmaxf(weight, a.number[i]);
    a.loss[choice] = 0.0f;
    if (!(weight > 0.0f)) return;
    const log_sum all = sum_entries(a, begin, end, false), right = sum_entries(a, begin, end, true);
    a.loss[choice] =
        float(double(weight) * (double(all.largest) - double(right.largest) + log(all.sum) - log(right.sum)));
    if (a.gradient) add_gradient(a, choice, scale * weight, all, right);
}

__global__ void choice_loss(gw_choice_loss_args a, gpu_changing<float> scale) {
    for (int64_t c = 0; c < a.choices; c++) take_choice(a, gpu_number(scale), c);
}

} // namespace

GW_CUDA_OP(choice_loss, gw_choice_loss_args) {
    if (args->gradient) GW_TRY(gw_cuda_zero(args->gradient, args->logits * int64_t(sizeof *args->gradient)));
    return gw_cuda_launch("choice_loss", choice_loss, 1, 1, gw_cuda_unscaled(*args),
                          gw_cuda_changing(args->gradient_scale));
}
