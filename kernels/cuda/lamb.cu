// SPDX-License-Identifier: MIT
// LAMB of one tensor: moments as of adamw, u = m / correction1 / (sqrt(v / correction2) + epsilon) + decay w,
// w -= rate |w| / |u| u. Blocks leave sums of squares in double, which one warp adds up; u is made twice.
#include "kernels/cuda/adam_rates.h"
#include "kernels/cuda/block_sums.h"

namespace {

enum { BLOCKS = GW_CUDA_PARTS };

// In device memory: squares of u and of w by block, and the rate that they come to.
struct sums {
    double u[BLOCKS], w[BLOCKS], rate;
};

GPU_FN float update_of(const gw_adamw_args &a, const gpu_adam_rates &now, int64_t i) {
    return a.first_moment[i] / now.correction1 / (sqrtf(a.second_moment[i] / now.correction2) + a.epsilon) +
           a.decay * a.weight[i];
}

__global__ void move_moments(gw_adamw_args a, gpu_changing<gpu_adam_rates> rates, sums *s) {
    __shared__ double of_warp[GW_CUDA_WARPS];
    double u = 0, w = 0;
    if (!isfinite(a.norm->norm)) return; // the whole grid
    const gpu_adam_rates now = gpu_number(rates);
    for (int64_t i = gpu_element(); i < a.count; i += int64_t(BLOCKS) * GW_CUDA_THREADS) {
        const float g = a.gradient[i] * a.norm->scale;
        a.first_moment[i] = a.beta1 * a.first_moment[i] + (1.0f - a.beta1) * g;
        a.second_moment[i] = a.beta2 * a.second_moment[i] + (1.0f - a.beta2) * g * g;
        const double update = double(update_of(a, now, i));
        u += update * update;
        w += double(a.weight[i]) * double(a.weight[i]);
    }
    u = gpu_sum_in_first(u, of_warp);
    w = gpu_sum_in_first(w, of_warp);
    if (threadIdx.x > 0) return;
    s->u[blockIdx.x] = u;
    s->w[blockIdx.x] = w;
}

__global__ void find_rate(gw_adamw_args a, gpu_changing<gpu_adam_rates> rates, sums *s) {
    double u = 0, w = 0;
    if (!isfinite(a.norm->norm)) return;
    for (int i = gpu_lane(); i < BLOCKS; i += GW_CUDA_WARP) u += s->u[i], w += s->w[i];
    u = gpu_warp_sum(u);
    w = gpu_warp_sum(w);
    if (gpu_lane() == 0) s->rate = double(gpu_number(rates).rate) * (u > 0 && w > 0 ? sqrt(w / u) : 1.0);
}

__global__ void update_weights(gw_adamw_args a, gpu_changing<gpu_adam_rates> rates, const sums *s) {
    const int64_t i = gpu_element();
    if (i < a.count && isfinite(a.norm->norm)) a.weight[i] -= float(s->rate) * update_of(a, gpu_number(rates), i);
}

} // namespace

GW_CUDA_OP(lamb, gw_adamw_args) {
    static const char *const op = "lamb";
    static_assert(sizeof(sums) <= GW_CUDA_PART_BYTES, "sums fit the memory of parts");
    double *parts;
    GW_TRY(gw_cuda_parts(&parts));
    sums *s = reinterpret_cast<sums *>(parts);
    const gw_adamw_args a = gw_cuda_without_rates(args);
    const gpu_changing<gpu_adam_rates> rates = gw_cuda_adam_rates(args);
    GW_TRY(gw_cuda_launch(op, move_moments, BLOCKS, GW_CUDA_THREADS, a, rates, s));
    GW_TRY(gw_cuda_launch(op, find_rate, 1, GW_CUDA_WARP, a, rates, s));
    return gw_cuda_launch_elements(op, update_weights, args->count, a, rates, static_cast<const sums *>(s));
}
