// SPDX-License-Identifier: MIT
// Kernels that hand over fragments and shared memory: mma.sync and ldmatrix of kernels/cuda/gpu.h, wgmma and boxes of
// gpu_sm90.h with numbers of the host's choice.
#include "tests/cuda/cute/lanes.h"

#include "kernels/cuda/gpu_sm90.h"

#include <string.h>

namespace {

__global__ void multiply(const uint32_t *a, const uint32_t *b, float *d) {
    const int lane = threadIdx.x;
    uint32_t of_a[4];
    float sums[4];
    for (int i = 0; i < 4; i++) of_a[i] = a[4 * lane + i], sums[i] = d[4 * lane + i];
    gpu_mma_bf16(sums, of_a, b[2 * lane], b[2 * lane + 1]);
    for (int i = 0; i < 4; i++) d[4 * lane + i] = sums[i];
}

struct rows {
    uint16_t numbers[32][8];
};

__global__ void load(const uint32_t *in, uint32_t *out, bool transposed) {
    GPU_SHARED(rows, shared);
    const int lane = threadIdx.x;
    for (int i = 0; i < 4; i++) reinterpret_cast<uint32_t *>(shared.numbers[lane])[i] = in[4 * lane + i];
    __syncthreads();
    uint32_t r[4];
    if (transposed) gpu_ldmatrix_x4_trans(r, shared.numbers[lane]);
    else gpu_ldmatrix_x4(r, shared.numbers[lane]);
    for (int i = 0; i < 4; i++) out[4 * lane + i] = r[i];
}

struct image {
    uint16_t numbers[LANES_IMAGE];
    gpu_barrier barrier;
};

GPU_FN void take_image(image &shared, const uint16_t *in) {
    for (int i = threadIdx.x; i < LANES_IMAGE; i += LANES_GROUP) shared.numbers[i] = in[i];
    gpu_fence_async();
    __syncthreads();
}

GPU_FN uint64_t from_begin(image &shared, uint64_t matrix) {
    return matrix + (gpu_shared_address(shared.numbers) >> 4);
}

__global__ void multiply_matrices(const uint16_t *in, uint64_t a, uint64_t b, float *d) {
    GPU_SHARED(image, shared);
    take_image(shared, in);
    float sums[8][4];
    gpu_wgmma_fence();
    gpu_wgmma<false>(sums, from_begin(shared, a), from_begin(shared, b));
    gpu_wgmma_commit();
    gpu_wgmma_wait<0>();
    for (int i = 0; i < 32; i++) d[32 * threadIdx.x + i] = sums[i / 4][i % 4];
}

template <int n> __global__ void multiply_registers(const uint16_t *in, const uint32_t *a, uint64_t b, float *d) {
    GPU_SHARED(image, shared);
    take_image(shared, in);
    uint32_t of_a[4];
    float sums[n / 8][4];
    for (int i = 0; i < 4; i++) of_a[i] = a[4 * threadIdx.x + i];
    for (int i = 0; i < n / 2; i++) sums[i / 4][i % 4] = d[n / 2 * threadIdx.x + i];
    gpu_wgmma_fence();
    gpu_wgmma_add(sums, of_a, from_begin(shared, b));
    gpu_wgmma_commit();
    gpu_wgmma_wait<0>();
    for (int i = 0; i < n / 2; i++) d[n / 2 * threadIdx.x + i] = sums[i / 4][i % 4];
}

__global__ void load_box(const __grid_constant__ gpu_map map, int numbers, uint16_t *out) {
    GPU_SHARED(image, shared);
    if (threadIdx.x == 0) {
        gpu_barrier_init(shared.barrier, 1);
        gpu_fence_async();
        gpu_barrier_expect(shared.barrier, numbers * int(sizeof(uint16_t)));
        gpu_load_box(shared.numbers, &map, 0, 0, shared.barrier);
    }
    __syncthreads();
    gpu_barrier_wait(shared.barrier, 0);
    for (int i = threadIdx.x; i < numbers; i += LANES_GROUP) out[i] = shared.numbers[i];
}

// Memory of both sides, whose numbers are the host's.
template <typename T> T *shared_copy(const void *from, size_t bytes) {
    void *p = NULL;
    if (cudaMallocManaged(&p, bytes) != cudaSuccess) return NULL;
    memcpy(p, from, bytes);
    return static_cast<T *>(p);
}

} // namespace

int lanes_multiply(const uint32_t *a, const uint32_t *b, float *d) {
    enum { BYTES = 32 * 4 * sizeof(float) };
    const uint32_t *of_a = shared_copy<uint32_t>(a, BYTES), *of_b = shared_copy<uint32_t>(b, BYTES / 2);
    float *of_d = shared_copy<float>(d, BYTES);
    if (gpu_launch_now(multiply, dim3(1), dim3(32), 0, cudaStream_t(), of_a, of_b, of_d) != cudaSuccess) return 1;
    if (cudaStreamSynchronize(cudaStream_t()) != cudaSuccess) return 1;
    memcpy(d, of_d, BYTES);
    return 0;
}

int lanes_load(const uint32_t *in, uint32_t *out, bool transposed) {
    enum { BYTES = 32 * 4 * sizeof(uint32_t) };
    const uint32_t *from = shared_copy<uint32_t>(in, BYTES);
    uint32_t *to = shared_copy<uint32_t>(out, BYTES);
    if (gpu_launch_now(load, dim3(1), dim3(32), sizeof(rows), cudaStream_t(), from, to, transposed) != cudaSuccess)
        return 1;
    if (cudaStreamSynchronize(cudaStream_t()) != cudaSuccess) return 1;
    memcpy(out, to, BYTES);
    return 0;
}

// `out` has the results, of which the kernel has changed its copy.
template <typename T, typename F> static int run(T *out, size_t bytes, F launch) {
    T *const to = shared_copy<T>(out, bytes);
    if (launch(to) != cudaSuccess || cudaStreamSynchronize(cudaStream_t()) != cudaSuccess) return 1;
    memcpy(out, to, bytes);
    return 0;
}

int lanes_wgmma(const uint16_t *in, uint64_t a, uint64_t b, float *d) {
    const uint16_t *from = shared_copy<uint16_t>(in, sizeof(uint16_t) * LANES_IMAGE);
    return run(d, LANES_GROUP * 32 * sizeof *d, [=](float *to) {
        return gpu_launch_now(multiply_matrices, dim3(1), dim3(LANES_GROUP), sizeof(image), cudaStream_t(), from, a, b,
                              to);
    });
}

int lanes_wgmma_add(int n, const uint16_t *in, const uint32_t *a, uint64_t b, float *d) {
    const uint16_t *from = shared_copy<uint16_t>(in, sizeof(uint16_t) * LANES_IMAGE);
    const uint32_t *of_a = shared_copy<uint32_t>(a, LANES_GROUP * 4 * sizeof *a);
    const auto kernel = n == 32 ? multiply_registers<32> : n == 64 ? multiply_registers<64> : multiply_registers<128>;
    return run(d, size_t(LANES_GROUP * n / 2) * sizeof *d, [=](float *to) {
        return gpu_launch_now(kernel, dim3(1), dim3(LANES_GROUP), sizeof(image), cudaStream_t(), from, of_a, b, to);
    });
}

int lanes_load_box(const uint16_t *in, int columns, int swizzle, uint16_t *out) {
    const uint16_t *from = shared_copy<uint16_t>(in, size_t(64 * columns) * sizeof *in);
    gpu_map map;
    if (gpu_map_boxes(&map, from, 64, columns, columns, 64, columns, gpu_swizzle(swizzle)) != cudaSuccess) return 1;
    return run(out, size_t(64 * columns) * sizeof *out, [=](uint16_t *to) {
        return gpu_launch_now(load_box, dim3(1), dim3(LANES_GROUP), sizeof(image), cudaStream_t(), map, 64 * columns,
                              to);
    });
}
