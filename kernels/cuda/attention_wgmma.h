// SPDX-License-Identifier: MIT
// The forward pass of attention on Hopper's warpgroups (sm_90a), for blocks of a multiple of 64 tokens.
#ifndef GW_KERNELS_CUDA_ATTENTION_WGMMA_H
#define GW_KERNELS_CUDA_ATTENTION_WGMMA_H

#include "kernels/cuda/attention_mma.h"

// Whether this kernel is used. GODWIT_WGMMA=1 turns it on, GODWIT_WGMMA=0 off. Without this variable it is on if `make
// test-gpu` has passed it on such a GPU.
bool gw_wgmma_attention_is_on(const gpu_mma_attention *p);
// p->jobs lists queries, in tiles of 64 rows.
gw_status gw_wgmma_attention_launch(const gpu_mma_attention *p);

#endif
