// SPDX-License-Identifier: MIT
// Launches over sequences whose lengths only the device knows. GW_CUDA_CHUNKS blocks share the rows of each sequence,
// for each of `parts` heads or stripes of columns.
#ifndef GW_KERNELS_CUDA_SEQUENCES_H
#define GW_KERNELS_CUDA_SEQUENCES_H

#include "kernels/cuda/frame.h"

enum { GW_CUDA_CHUNKS = 16 };

template <typename... P, typename... A>
gw_status gw_cuda_launch_chunks(const char *op, void (*kernel)(P...), int64_t sequences, int64_t parts, int chunks,
                                A... args) {
    if (sequences == 0 || parts == 0) return GW_OK;
    const dim3 grid = dim3(unsigned(sequences), unsigned(parts), unsigned(chunks));
    return gw_cuda_status(gpu_launch(kernel, grid, dim3(GW_CUDA_THREADS), 0, gw_cuda_stream, args...), op);
}

template <typename... P, typename... A>
gw_status gw_cuda_launch_sequences(const char *op, void (*kernel)(P...), int64_t sequences, int64_t parts, A... args) {
    return gw_cuda_launch_chunks(op, kernel, sequences, parts, GW_CUDA_CHUNKS, args...);
}

// A launch with one block for all rows of a sequence.
template <typename... P, typename... A>
gw_status gw_cuda_launch_whole_sequences(const char *op, void (*kernel)(P...), int64_t sequences, int64_t parts,
                                         A... args) {
    return gw_cuda_launch_chunks(op, kernel, sequences, parts, 1, args...);
}

// The first row of a sequence for the running warp, and the step to its next row.
GPU_FN int64_t gpu_first_row(int64_t begin) {
    return begin + int64_t(blockIdx.z) * (GW_CUDA_THREADS / GW_CUDA_WARP) + (threadIdx.x >> 5);
}
GPU_FN int64_t gpu_row_step() {
    return int64_t(gridDim.z) * (GW_CUDA_THREADS / GW_CUDA_WARP);
}

#endif
