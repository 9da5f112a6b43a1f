// SPDX-License-Identifier: MIT
// Means of segments of sequences: a warp a segment.
#include "kernels/cuda/sequences.h"

namespace {

struct segment {
    int64_t at, begin, end; // its row in out, and its rows
};

// Segment j of the running block's sequence, which has some.
GPU_FN segment segment_of(const gw_segment_mean_args &a, int64_t at) {
    const int64_t first = a.start[blockIdx.x], rows = a.start[blockIdx.x + 1] - first;
    const int64_t begin = a.out_start[blockIdx.x], segments = a.out_start[blockIdx.x + 1] - begin, j = at - begin;
    return {at, first + j * rows / segments, first + (j + 1) * rows / segments};
}

__global__ void segment_mean(gw_segment_mean_args a) {
    const int64_t end = a.out_start[blockIdx.x + 1];
    for (int64_t at = gpu_first_row(a.out_start[blockIdx.x]); at < end; at += gpu_row_step()) {
        const segment s = segment_of(a, at);
        for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP) {
            float sum = 0;
            for (int64_t r = s.begin; r < s.end; r++) sum += a.in[r * a.width + i];
            a.out[at * a.width + i] = sum / float(s.end - s.begin);
        }
    }
}

__global__ void segment_mean_backward(gw_segment_mean_args a) {
    const int64_t end = a.out_start[blockIdx.x + 1];
    for (int64_t at = gpu_first_row(a.out_start[blockIdx.x]); at < end; at += gpu_row_step()) {
        const segment s = segment_of(a, at);
        for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP) {
            const float share = a.out_gradient[at * a.width + i] / float(s.end - s.begin);
            for (int64_t r = s.begin; r < s.end; r++) a.in_gradient[r * a.width + i] += share;
        }
    }
}

} // namespace

GW_CUDA_OP(segment_mean, gw_segment_mean_args) {
    return gw_cuda_launch_sequences("segment_mean", segment_mean, args->sequences, 1, *args);
}

GW_CUDA_OP(segment_mean_backward, gw_segment_mean_args) {
    return gw_cuda_launch_sequences("segment_mean_backward", segment_mean_backward, args->sequences, 1, *args);
}
