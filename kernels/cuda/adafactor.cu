// SPDX-License-Identifier: MIT
// Adafactor without a first moment, of a matrix or, with one row and no row moments, a vector:
//   S = g^2 + epsilon;  r_i, c_j: means of S over columns and over rows, moving at the rate d
//   x_ij = g_ij / sqrt(r_i c_j / mean(r));  w -= rate size x / max(1, rms(x) / threshold)
// Blocks leave sums of squares in double, which one warp adds up.
#include "kernels/cuda/block_sums.h"
#include "kernels/cuda/changing.h"
#include "kernels/cuda/column_sums.h"

namespace {

enum { BLOCKS = GW_CUDA_PARTS };

// In device memory: sums of squares of x and of w by block, and what they come to.
struct sums {
    double x[BLOCKS], w[BLOCKS], mean_row, rate;
};

// Numbers that change from step to step.
struct pace {
    float rate, decay;
};

GPU_FN bool skips(const gw_adafactor_args &a) {
    return !isfinite(a.norm->norm);
}

GPU_FN float gradient_of(const gw_adafactor_args &a, int64_t i) {
    return a.gradient[i] * a.norm->scale;
}

GPU_FN void move(const gw_adafactor_args &a, float decay, float *moment, float mean_square) {
    *moment = decay * *moment + (1.0f - decay) * (mean_square + a.epsilon);
}

__global__ void row_moments(gw_adafactor_args a, gpu_changing<pace> now) {
    const int64_t row = gpu_row();
    if (row >= a.rows || skips(a)) return; // a whole warp
    float sum = 0;
    for (int64_t i = gpu_lane(); i < a.columns; i += GW_CUDA_WARP) {
        const float g = gradient_of(a, row * a.columns + i);
        sum += g * g;
    }
    sum = gpu_warp_sum(sum);
    if (gpu_lane() == 0) move(a, gpu_number(now).decay, a.row_moment + row, sum / float(a.columns));
}

__global__ void column_moments(gw_adafactor_args a, gpu_changing<pace> now) {
    const int64_t column = gpu_column();
    const bool there = column < a.columns;
    if (skips(a)) return; // the whole grid
    const float sum = gpu_sum_rows(a.rows, there, [&](int64_t r) {
        const float g = gradient_of(a, r * a.columns + column);
        return g * g;
    });
    if (there && threadIdx.x < GW_CUDA_WARP)
        move(a, gpu_number(now).decay, a.column_moment + column, sum / float(a.rows));
}

// By one warp, like the rate.
__global__ void mean_of_rows(gw_adafactor_args a, sums *s) {
    double sum = 0;
    for (int64_t r = gpu_lane(); r < a.rows; r += GW_CUDA_WARP) sum += double(a.row_moment[r]);
    sum = gpu_warp_sum(sum);
    if (gpu_lane() == 0) s->mean_row = sum / double(a.rows);
}

GPU_FN float update_of(const gw_adafactor_args &a, const sums *s, int64_t i) {
    const float x = gradient_of(a, i) / sqrtf(a.column_moment[i % a.columns]);
    return a.row_moment ? x * float(sqrt(s->mean_row / double(a.row_moment[i / a.columns]))) : x;
}

__global__ void sum_squares(gw_adafactor_args a, sums *s) {
    __shared__ double of_warp[GW_CUDA_WARPS];
    double x = 0, w = 0;
    if (skips(a)) return; // the whole grid
    for (int64_t i = gpu_element(); i < a.rows * a.columns; i += int64_t(BLOCKS) * GW_CUDA_THREADS) {
        const double update = double(update_of(a, s, i));
        x += update * update;
        w += double(a.weight[i]) * double(a.weight[i]);
    }
    x = gpu_sum_in_first(x, of_warp);
    w = gpu_sum_in_first(w, of_warp);
    if (threadIdx.x > 0) return;
    s->x[blockIdx.x] = x;
    s->w[blockIdx.x] = w;
}

__global__ void find_rate(gw_adafactor_args a, gpu_changing<pace> now, sums *s) {
    double x = 0, w = 0;
    if (skips(a)) return;
    for (int i = gpu_lane(); i < BLOCKS; i += GW_CUDA_WARP) x += s->x[i], w += s->w[i];
    const double count = double(a.rows) * double(a.columns),
                 bound = sqrt(gpu_warp_sum(x) / count) / double(a.threshold);
    const double size = sqrt(gpu_warp_sum(w) / count), least = double(a.least_size);
    if (gpu_lane() == 0)
        s->rate = double(gpu_number(now).rate) *
                  (a.least_size == 0 ? 1.0
                   : size > least    ? size
                                     : least) /
                  (bound > 1.0 ? bound : 1.0);
}

__global__ void update_weights(gw_adafactor_args a, const sums *s) {
    const int64_t i = gpu_element();
    if (i < a.rows * a.columns && !skips(a)) a.weight[i] -= float(s->rate) * update_of(a, s, i);
}

gw_status move_moments(const gw_adafactor_args &a, gpu_changing<pace> now, sums *s) {
    static const char *const op = "adafactor";
    if (a.row_moment) {
        GW_TRY(gw_cuda_launch_rows(op, row_moments, a.rows, a, now));
        GW_TRY(gw_cuda_launch(op, mean_of_rows, 1, GW_CUDA_WARP, a, s));
    }
    return gw_cuda_launch_columns(op, column_moments, a.columns, a, now);
}

} // namespace

GW_CUDA_OP(adafactor, gw_adafactor_args) {
    static const char *const op = "adafactor";
    static_assert(sizeof(sums) <= GW_CUDA_PART_BYTES, "sums fit the memory of parts");
    double *parts;
    GW_TRY(gw_cuda_parts(&parts));
    sums *s = reinterpret_cast<sums *>(parts);
    gw_adafactor_args a = *args;
    a.rate = a.decay = 0;
    const gpu_changing<pace> now = gw_cuda_changing(pace{args->rate, args->decay});
    GW_TRY(move_moments(a, now, s));
    GW_TRY(gw_cuda_launch(op, sum_squares, BLOCKS, GW_CUDA_THREADS, a, s));
    GW_TRY(gw_cuda_launch(op, find_rate, 1, GW_CUDA_WARP, a, now, s));
    return gw_cuda_launch_elements(op, update_weights, a.rows * a.columns, a, static_cast<const sums *>(s));
}
