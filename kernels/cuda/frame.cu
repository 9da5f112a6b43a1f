// SPDX-License-Identifier: MIT
// Memory of the device, copies in the order of the stream, and errors in words. A fault of a kernel is reported by
// whatever waits for it next: a copy to the host, as a rule.
#include "kernels/cuda/frame.h"

#include <stdio.h>

static gw_fail_function *fail_of_program;

void gw_cuda_set_fail(gw_fail_function *fail) {
    fail_of_program = fail;
}

gw_status gw_cuda_fail(gw_status code, const char *what, const char *why) {
    return fail_of_program ? fail_of_program(code, "the GPU fails at %s: %s", what, why) : code;
}

gw_status gw_cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return GW_OK;
    return gw_cuda_fail(error == cudaErrorMemoryAllocation ? GW_ERR_MEMORY : GW_ERR_IO, what,
                        cudaGetErrorString(error));
}

static gw_status fail_to_allocate(cudaError_t error, int64_t bytes) {
    char what[64];
    snprintf(what, sizeof what, "an allocation of %lld bytes", (long long)bytes);
    return gw_cuda_status(error, what);
}

gw_status gw_cuda_allocate(int64_t bytes, void **memory) {
    *memory = nullptr;
    const cudaError_t error = cudaMalloc(memory, size_t(bytes > 0 ? bytes : 1));
    if (error != cudaSuccess) return fail_to_allocate(error, bytes);
    return gw_cuda_zero(*memory, bytes);
}

gw_status gw_cuda_allocate_reachable(int64_t bytes, void **memory) {
    *memory = nullptr;
    return fail_to_allocate(cudaMallocManaged(memory, size_t(bytes > 0 ? bytes : 1)), bytes);
}

gw_status gw_cuda_parts(double **parts) {
    static void *memory;
    if (!memory) GW_TRY(gw_cuda_allocate(GW_CUDA_PART_BYTES, &memory));
    *parts = static_cast<double *>(memory);
    return GW_OK;
}

void gw_cuda_release(void *memory) {
    cudaFree(memory);
}

gw_status gw_cuda_zero(void *memory, int64_t bytes) {
    if (bytes == 0) return GW_OK;
    return gw_cuda_status(cudaMemsetAsync(memory, 0, size_t(bytes), gw_cuda_stream), "zeroing");
}

static gw_status copy(void *to, const void *from, int64_t bytes, cudaMemcpyKind kind, const char *what) {
    if (bytes > 0) {
        const cudaError_t error = cudaMemcpyAsync(to, from, size_t(bytes), kind, gw_cuda_stream);
        if (error != cudaSuccess) return gw_cuda_status(error, what);
    }
    return gw_cuda_status(cudaStreamSynchronize(gw_cuda_stream), what);
}

// The host may change its numbers as soon as this returns.
gw_status gw_cuda_to_device(void *device, const void *host, int64_t bytes) {
    return copy(device, host, bytes, cudaMemcpyHostToDevice, "a copy to it, or an op before that");
}

gw_status gw_cuda_to_host(void *host, const void *device, int64_t bytes) {
    return copy(host, device, bytes, cudaMemcpyDeviceToHost, "a copy from it, or an op before that");
}
