// SPDX-License-Identifier: MIT
// Scratch memory of attention, in floats: its operands in bf16 where tensor cores multiply them.
#ifndef GW_KERNELS_CUDA_ATTENTION_SCRATCH_H
#define GW_KERNELS_CUDA_ATTENTION_SCRATCH_H

#include "kernels/cuda/frame.h"

int64_t gw_cuda_attention_scratch(const gw_attention_args *args);

#endif
