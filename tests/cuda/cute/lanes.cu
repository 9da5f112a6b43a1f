// SPDX-License-Identifier: MIT
// One warp that hands over its fragments: mma.sync and ldmatrix of kernels/cuda/gpu.h with numbers of the host's
// choice.
#include "tests/cuda/cute/lanes.h"

#include "kernels/cuda/gpu.h"

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
    if (gpu_launch(multiply, dim3(1), dim3(32), 0, cudaStream_t(), of_a, of_b, of_d) != cudaSuccess) return 1;
    if (cudaStreamSynchronize(cudaStream_t()) != cudaSuccess) return 1;
    memcpy(d, of_d, BYTES);
    return 0;
}

int lanes_load(const uint32_t *in, uint32_t *out, bool transposed) {
    enum { BYTES = 32 * 4 * sizeof(uint32_t) };
    const uint32_t *from = shared_copy<uint32_t>(in, BYTES);
    uint32_t *to = shared_copy<uint32_t>(out, BYTES);
    if (gpu_launch(load, dim3(1), dim3(32), sizeof(rows), cudaStream_t(), from, to, transposed) != cudaSuccess)
        return 1;
    if (cudaStreamSynchronize(cudaStream_t()) != cudaSuccess) return 1;
    memcpy(out, to, BYTES);
    return 0;
}
