// SPDX-License-Identifier: MIT
// Losses of profiles of counts: a block a sequence. The terms of a sequence's multinomial nearly cancel, so its sums
// are in double. The logits of a sequence are read before their gradient, which may stand in their place, is written.
#include "kernels/cuda/block_sums.h"
#include "kernels/cuda/changing.h"

namespace {

// The sum in double, in all threads of the block.
GPU_FN double block_sum(double x) {
    __shared__ double of_warp[GW_CUDA_WARPS], all;
    x = gpu_sum_in_first(x, of_warp);
    if (threadIdx.x == 0) all = x;
    __syncthreads();
    x = all;
    __syncthreads(); // `all` is written again by the next sum
    return x;
}

// ln n!, without the call to a function of its own that nvcc makes of lgamma, and that tests/cuda/ptx cannot follow: by
// Stirling's series of ln Gamma(x) from x = 8 on, where its next term is below 1e-14; factors lead there.
GPU_FN double log_factorial(double n) {
    if (n == 0 || n == 1) return 0.0;
    double x = n + 1, factors = 1;
#pragma unroll 1
    for (; x < 8; x += 1) factors *= x;
    const double y = 1 / (x * x);
    const double series =
        (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360)))))) /
        x;
    return (x - 0.5) * log(x) - x + 0.91893853320467274 + series - log(factors); // ln(2 pi) / 2
}

// What the gradient of a sequence reads: its rows from the first with a label to the last, and with the margins (none
// where it has no label), counted within it.
struct region {
    int64_t first, end, from, to;
    float largest;
};

// Rows are exact as float numbers: a sequence has fewer than 2^24.
GPU_FN region find_region(const gw_profile_loss_args &a, const float *logit, const float *label, int64_t rows) {
    float first = -float(rows), end = 0, largest = -INFINITY;
    for (int64_t i = threadIdx.x; i < rows * a.columns; i += GW_CUDA_THREADS) {
        const int64_t row = i / a.columns;
        if (isnan(label[i])) continue;
        first = fmaxf(first, -float(row));
        end = fmaxf(end, float(row + 1));
        largest = fmaxf(largest, logit[row * (a.columns + 1) + i % a.columns]);
    }
    region r = {int64_t(-gpu_block_max(first)), int64_t(gpu_block_max(end)), 0, 0, gpu_block_max(largest)};
    r.from = r.first > a.margin ? r.first - a.margin : 0;
    r.to = r.first == rows ? r.from : rows - r.end > a.margin ? r.end + a.margin : rows;
    return r;
}

__global__ void profile_loss(gw_profile_loss_args a, gpu_changing<float> gradient_scale) {
    const int64_t begin = a.start[blockIdx.x], rows = a.start[blockIdx.x + 1] - begin, width = a.columns + 1;
    const float *logit = a.logit + begin * width, *label = a.label + begin * a.columns;
    const region r = find_region(a, logit, label, rows);
    double sum = 0, total = 0, terms = 0, count = 0;
    for (int64_t i = r.first * a.columns + threadIdx.x; i < r.end * a.columns; i += GW_CUDA_THREADS) {
        const float z = logit[i / a.columns * width + i % a.columns] - r.largest;
        if (isnan(label[i])) continue;
        sum += double(expf(z));
        total += double(label[i]);
        terms += log_factorial(double(label[i])) - double(label[i]) * double(z);
    }
    for (int64_t row = r.from + threadIdx.x; row < r.to; row += GW_CUDA_THREADS)
        count += double(logit[row * width + a.columns]);
    sum = block_sum(sum);
    total = block_sum(total);
    terms = block_sum(terms);
    const double counted = double(r.to - r.from), apart = block_sum(count) / counted - log1p(total);
    const double loss = terms - log_factorial(total) + total * log(sum) + double(a.count_weight) * apart * apart;
    if (threadIdx.x == 0) a.loss[blockIdx.x] = r.from < r.to ? float(loss) : NAN;
    if (!a.gradient) return;
    const double scale = double(gpu_number(gradient_scale));
    const float of_count = float(scale * double(a.count_weight) * 2 * apart / counted);
    for (int64_t i = threadIdx.x; i < rows * width; i += GW_CUDA_THREADS) {
        const int64_t row = i / width, column = i % width;
        float gradient = 0;
        if (column == a.columns) gradient = row >= r.from && row < r.to ? of_count : 0.0f;
        else if (!isnan(label[row * a.columns + column])) {
            const double share = double(expf(logit[i] - r.largest)) / sum;
            gradient = float(scale * (total * share - double(label[row * a.columns + column])));
        }
        a.gradient[begin * width + i] = gradient;
    }
}

} // namespace

GW_CUDA_OP(profile_loss, gw_profile_loss_args) {
    return gw_cuda_launch("profile_loss", profile_loss, args->sequences, GW_CUDA_THREADS, gw_cuda_unscaled(*args),
                          gw_cuda_changing(args->gradient_scale));
}
