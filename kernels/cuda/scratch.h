// SPDX-License-Identifier: MIT
// Scratch memory of ops, in floats. Each source has the function for its op.
#ifndef GW_KERNELS_CUDA_SCRATCH_H
#define GW_KERNELS_CUDA_SCRATCH_H

#include "kernels/cuda/frame.h"

int64_t gw_cuda_attention_scratch(const gw_attention_args *args);
int64_t gw_cuda_convolution_scratch(const gw_convolution_args *args);
int64_t gw_cuda_convolution_backward_scratch(const gw_convolution_args *args);
int64_t gw_cuda_distance_attention_scratch(const gw_distance_attention_args *args);
int64_t gw_cuda_distance_attention_backward_scratch(const gw_distance_attention_args *args);
int64_t gw_cuda_landmark_scratch(const gw_landmark_product_args *args);
int64_t gw_cuda_linear_attention_scratch(const gw_linear_attention_args *args);
int64_t gw_cuda_attention_backward_scratch(const gw_attention_args *args);
int64_t gw_cuda_relative_attention_scratch(const gw_relative_attention_args *args);
int64_t gw_cuda_relative_attention_backward_scratch(const gw_relative_attention_args *args);
int64_t gw_cuda_draw_edges_scratch(const gw_draw_edges_args *args);
int64_t gw_cuda_gemm_scratch(const gw_gemm_args *args);
int64_t gw_cuda_linear_scratch(const gw_linear_args *args);

#endif
