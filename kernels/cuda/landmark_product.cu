// SPDX-License-Identifier: MIT
// Products with pseudo-inverses of softmaxes: a block a head of a sequence, with its squares in scratch memory. With
// X = A Z, an iteration is
//   R = 7 - X,  Q = 15 - X R,  P = 13 - X Q,  Z' = Z P / 4
// and its backward pass, dY being the loss's gradient by Y,
//   dZ = dZ' P^T / 4,  dP = Z^T dZ' / 4,  dQ = -X^T dP,  dR = -X^T dQ,  dX = -dP Q^T - dQ R^T - dR
//   dA += dX Z^T,  dZ += A^T dX
// The first Z = A^T / c has dA += dZ^T / c, and the column whose sum is c gets -(dZ . Z) / c.
#include "kernels/cuda/block_sums.h"
#include "kernels/cuda/scratch.h"
#include "kernels/cuda/sequences.h"

namespace {

enum { A, X, Q, P, R, DZ, DA, DP, DQ, DX, SQUARES }; // behind them Z of each iteration

struct head {
    gw_landmark_product_args args;
    int64_t m, at, width, square; // rows; where the head begins in rows, which are so far apart; numbers of a square
    float *memory;
};

GPU_FN head head_of(const gw_landmark_product_args &a) {
    const int64_t s = blockIdx.x, square = a.most * a.most, width = a.heads * a.size;
    float *memory = a.scratch + (s * a.heads + blockIdx.y) * (SQUARES + a.iterations + 1) * square;
    return {a, a.start[s + 1] - a.start[s], a.start[s] * width + blockIdx.y * a.size, width, square, memory};
}

GPU_FN float *square_of(const head &h, int which) {
    return h.memory + which * h.square;
}

// A matrix by the steps between its rows and columns.
struct matrix {
    const float *at;
    int64_t row, column;
};
GPU_FN matrix as_is(const head &h, int which) {
    return {square_of(h, which), h.m, 1};
}
GPU_FN matrix turned(const head &h, int which) {
    return {square_of(h, which), 1, h.m};
}

// out[rows][columns] (+)= factor a b; the block waits for it.
struct result {
    float *at;
    int64_t rows, columns, row;
    bool adds;
};
GPU_FN void multiply(const matrix &a, const matrix &b, int64_t depth, float factor, const result &out) {
    for (int64_t k = threadIdx.x; k < out.rows * out.columns; k += GW_CUDA_THREADS) {
        const int64_t i = k / out.columns, j = k % out.columns;
        float sum = 0, *to = out.at + i * out.row + j;
        for (int64_t d = 0; d < depth; d++) sum += a.at[i * a.row + d * a.column] * b.at[d * b.row + j * b.column];
        *to = factor * sum + (out.adds ? *to : 0.0f);
    }
    __syncthreads();
}

GPU_FN void multiply_squares(const head &h, const matrix &a, const matrix &b, float factor, bool adds, int to) {
    multiply(a, b, h.m, factor, {square_of(h, to), h.m, h.m, h.m, adds});
}

// body(i, j) for the thread's numbers of a square; the block waits for all.
template <typename F> GPU_FN void each_number(const head &h, F body) {
    for (int64_t k = threadIdx.x; k < h.m * h.m; k += GW_CUDA_THREADS) body(k / h.m, k % h.m);
    __syncthreads();
}

GPU_FN void add_diagonal(const head &h, int which, float value) {
    for (int64_t i = threadIdx.x; i < h.m; i += GW_CUDA_THREADS) square_of(h, which)[i * h.m + i] += value;
    __syncthreads();
}

GPU_FN void normalise_row(float *row, int64_t count) {
    float largest = -INFINITY, sum = 0;
    for (int64_t j = gpu_lane(); j < count; j += GW_CUDA_WARP) largest = fmaxf(largest, row[j]);
    largest = gpu_warp_max(largest);
    for (int64_t j = gpu_lane(); j < count; j += GW_CUDA_WARP) {
        row[j] = expf(row[j] - largest);
        sum += row[j];
    }
    sum = gpu_warp_sum(sum);
    for (int64_t j = gpu_lane(); j < count; j += GW_CUDA_WARP) row[j] /= sum;
}

GPU_FN void make_softmax(const head &h) {
    const gw_landmark_product_args &a = h.args;
    multiply({a.query + h.at, h.width, 1}, {a.key + h.at, 1, h.width}, a.size, a.scale,
             {square_of(h, A), h.m, h.m, h.m, false});
    for (int64_t i = threadIdx.x >> 5; i < h.m; i += GW_CUDA_WARPS) normalise_row(square_of(h, A) + i * h.m, h.m);
    __syncthreads();
}

// The column of A with the largest sum, and the sum; X holds all sums meanwhile.
GPU_FN float largest_column(const head &h, int64_t *column) {
    float *sums = square_of(h, X), largest = 0;
    for (int64_t j = threadIdx.x; j < h.m; j += GW_CUDA_THREADS) {
        float sum = 0;
        for (int64_t i = 0; i < h.m; i++) sum += square_of(h, A)[i * h.m + j];
        sums[j] = sum;
    }
    __syncthreads();
    for (int64_t j = 0; j < h.m; j++)
        if (sums[j] > largest) largest = sums[j], *column = j;
    __syncthreads();
    return largest;
}

// R, X, Q and P of the iteration that begins with Z.
GPU_FN void make_factors(const head &h, int z) {
    multiply_squares(h, as_is(h, A), as_is(h, z), 1, false, X);
    each_number(h, [&](int64_t i, int64_t j) {
        square_of(h, R)[i * h.m + j] = (i == j ? 7.0f : 0.0f) - square_of(h, X)[i * h.m + j];
    });
    multiply_squares(h, as_is(h, X), as_is(h, R), -1, false, Q);
    add_diagonal(h, Q, 15);
    multiply_squares(h, as_is(h, X), as_is(h, Q), -1, false, P);
    add_diagonal(h, P, 13);
}

GPU_FN void invert(const head &h) {
    int64_t column = 0;
    make_softmax(h);
    const float factor = 1 / largest_column(h, &column);
    each_number(
        h, [&](int64_t i, int64_t j) { square_of(h, SQUARES)[i * h.m + j] = square_of(h, A)[j * h.m + i] * factor; });
    for (int k = 0; k < h.args.iterations; k++) {
        make_factors(h, SQUARES + k);
        multiply_squares(h, as_is(h, SQUARES + k), as_is(h, P), 0.25f, false, SQUARES + k + 1);
    }
}

__global__ void landmark_product(gw_landmark_product_args a) {
    const head h = head_of(a);
    invert(h);
    multiply(as_is(h, SQUARES + a.iterations), {a.value + h.at, h.width, 1}, h.m, 1,
             {a.out + h.at, h.m, a.size, h.width, false});
}

// ---- backward

// dvalue += Z^T dout, dZ = dout value^T
GPU_FN void begin_backward(const head &h) {
    const gw_landmark_product_args &a = h.args;
    const matrix gradient = {a.out_gradient + h.at, h.width, 1};
    multiply(turned(h, SQUARES + a.iterations), gradient, h.m, 1,
             {a.value_gradient + h.at, h.m, a.size, h.width, true});
    multiply(gradient, {a.value + h.at, 1, h.width}, a.size, 1, {square_of(h, DZ), h.m, h.m, h.m, false});
    each_number(h, [&](int64_t i, int64_t j) { square_of(h, DA)[i * h.m + j] = 0; });
}

// dZ of an iteration's result becomes that of Z, which it began with.
GPU_FN void iteration_backward(const head &h, int z) {
    make_factors(h, z);
    multiply_squares(h, turned(h, z), as_is(h, DZ), 0.25f, false, DP);
    multiply_squares(h, as_is(h, DZ), turned(h, P), 0.25f, false, DQ); // dZ, until it is moved
    each_number(h, [&](int64_t i, int64_t j) { square_of(h, DZ)[i * h.m + j] = square_of(h, DQ)[i * h.m + j]; });
    multiply_squares(h, turned(h, X), as_is(h, DP), -1, false, DQ);
    multiply_squares(h, as_is(h, DP), turned(h, Q), -1, false, DX);
    multiply_squares(h, as_is(h, DQ), turned(h, R), -1, true, DX);
    multiply_squares(h, turned(h, X), as_is(h, DQ), 1, true, DX);
    multiply_squares(h, as_is(h, DX), turned(h, z), 1, true, DA);
    multiply_squares(h, turned(h, A), as_is(h, DX), 1, true, DZ);
}

GPU_FN void first_backward(const head &h) {
    int64_t column = 0;
    float along = 0;
    const float factor = 1 / largest_column(h, &column);
    for (int64_t k = threadIdx.x; k < h.m * h.m; k += GW_CUDA_THREADS)
        along += square_of(h, DZ)[k] * square_of(h, SQUARES)[k];
    along = gpu_block_sum(along);
    each_number(h, [&](int64_t i, int64_t j) {
        square_of(h, DA)[i * h.m + j] += factor * square_of(h, DZ)[j * h.m + i] - (j == column ? factor * along : 0.0f);
    });
}

// dA becomes the gradient of the scores.
GPU_FN void softmax_backward(const head &h) {
    for (int64_t i = threadIdx.x >> 5; i < h.m; i += GW_CUDA_WARPS) {
        const float *p = square_of(h, A) + i * h.m;
        float *gradient = square_of(h, DA) + i * h.m, sum = 0;
        for (int64_t j = gpu_lane(); j < h.m; j += GW_CUDA_WARP) sum += p[j] * gradient[j];
        sum = gpu_warp_sum(sum);
        for (int64_t j = gpu_lane(); j < h.m; j += GW_CUDA_WARP) gradient[j] = p[j] * (gradient[j] - sum);
    }
    __syncthreads();
}

__global__ void landmark_product_backward(gw_landmark_product_args a) {
    const head h = head_of(a);
    invert(h);
    begin_backward(h);
    for (int k = a.iterations - 1; k >= 0; k--) iteration_backward(h, SQUARES + k);
    first_backward(h);
    softmax_backward(h);
    multiply(as_is(h, DA), {a.key + h.at, h.width, 1}, h.m, a.scale,
             {a.query_gradient + h.at, h.m, a.size, h.width, true});
    multiply(turned(h, DA), {a.query + h.at, h.width, 1}, h.m, a.scale,
             {a.key_gradient + h.at, h.m, a.size, h.width, true});
}

} // namespace

int64_t gw_cuda_landmark_scratch(const gw_landmark_product_args *args) {
    return args->sequences * args->heads * (SQUARES + args->iterations + 1) * args->most * args->most;
}

GW_CUDA_OP(landmark_product, gw_landmark_product_args) {
    return gw_cuda_launch_whole_sequences("landmark_product", landmark_product, args->sequences, args->heads, *args);
}

GW_CUDA_OP(landmark_product_backward, gw_landmark_product_args) {
    return gw_cuda_launch_whole_sequences("landmark_product_backward", landmark_product_backward, args->sequences,
                                          args->heads, *args);
}
