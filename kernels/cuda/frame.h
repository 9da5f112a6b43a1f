// SPDX-License-Identifier: MIT
// Shared by the launchers of the plugin: the stream, error messages, and launches over elements and rows.
#ifndef GW_KERNELS_CUDA_FRAME_H
#define GW_KERNELS_CUDA_FRAME_H

#include "kernels/cuda/gpu.h"

extern "C" {
#include "kernels/backend.h"
#include "kernels/plugin.h"
}

// Defines the launcher of an op. plugin.cu puts it into the table by this name.
#define GW_CUDA_OP(op, arguments) extern "C" gw_status gw_##op##_cuda(const arguments *args)

enum { GW_CUDA_THREADS = 256, GW_CUDA_WARP = 32, GW_CUDA_ROWS = 4, GW_CUDA_PARTS = 256 };

// Everything runs on the default stream, in the order of its launch. While a graph is captured it is another one.
extern cudaStream_t gw_cuda_stream;

// GW_OK, or an error with the message "the GPU fails at WHAT: ...".
gw_status gw_cuda_status(cudaError_t error, const char *what);
// Sets the program's function for messages, which use() passes to the plugin.
void gw_cuda_set_fail(gw_fail_function *fail);
gw_status gw_cuda_fail(gw_status code, const char *what, const char *why);

// gw_backend's repeat() and record_free() (graph.cu).
gw_status gw_cuda_repeat(gw_record **record, gw_status (*launch)(void *context), void *context);
void gw_cuda_record_free(gw_record *record);
// For calls that no graph can hold: ends the recording of a sequence. Returns whether there was one; the call then
// fails without a message.
bool gw_cuda_stops();

// Whether `make test-gpu` has written a line that begins so into PLUGIN.passed.
bool gw_cuda_has_passed(const char *line);

// Begins to make the device's context, and to open cuBLASLt, beside what the program does. The first allocation waits
// for the context and reports its failure.
gw_status gw_cuda_start(int number);
// Opens cuBLASLt (cublaslt.cu). A failure is reported when a product needs it.
void gw_cuda_open_products();
void gw_cuda_wait_for_products(); // until it was tried

// The architectures that the plugin has code for, as in gw_plugin.
const char *gw_cuda_architectures(void);

gw_status gw_cuda_allocate(int64_t bytes, void **memory);
gw_status gw_cuda_allocate_reachable(int64_t bytes, void **memory);
void gw_cuda_release(void *memory);
gw_status gw_cuda_zero(void *memory, int64_t bytes);
gw_status gw_cuda_to_device(void *device, const void *host, int64_t bytes);
gw_status gw_cuda_to_host(void *host, const void *device, int64_t bytes);
int64_t gw_cuda_scratch(gw_op op, const void *arguments);
// Device memory for a sum over all numbers: one partial sum for each of GW_CUDA_PARTS blocks.
enum { GW_CUDA_PART_BYTES = (2 * GW_CUDA_PARTS + 2) * sizeof(double) };
gw_status gw_cuda_parts(double **parts);

static inline int64_t gw_cuda_divide(int64_t count, int64_t by) {
    return (count + by - 1) / by;
}

// Does nothing if `blocks` is 0, which CUDA would refuse.
template <typename... P, typename... A>
gw_status gw_cuda_launch(const char *op, void (*kernel)(P...), int64_t blocks, int threads, A... args) {
    if (blocks == 0) return GW_OK;
    return gw_cuda_status(
        gpu_launch(kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), 0, gw_cuda_stream, args...), op);
}

// One thread for each of `count` elements or groups of elements.
template <typename... P, typename... A>
gw_status gw_cuda_launch_elements(const char *op, void (*kernel)(P...), int64_t count, A... args) {
    return gw_cuda_launch(op, kernel, gw_cuda_divide(count, GW_CUDA_THREADS), GW_CUDA_THREADS, args...);
}

// One warp for each row, GW_CUDA_ROWS warps a block.
template <typename... P, typename... A>
gw_status gw_cuda_launch_rows(const char *op, void (*kernel)(P...), int64_t rows, A... args) {
    return gw_cuda_launch(op, kernel, gw_cuda_divide(rows, GW_CUDA_ROWS), GW_CUDA_ROWS * GW_CUDA_WARP, args...);
}

// The place of the running thread in such a launch.
GPU_FN int64_t gpu_element() {
    return int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
GPU_FN int64_t gpu_row() {
    return int64_t(blockIdx.x) * GW_CUDA_ROWS + (threadIdx.x >> 5);
}
GPU_FN int gpu_lane() {
    return int(threadIdx.x & 31);
}

#endif
