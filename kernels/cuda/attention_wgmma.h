// SPDX-License-Identifier: MIT
// The forward pass of attention on Hopper's warpgroups (sm_90a), for blocks of a multiple of 64 tokens.
#ifndef GW_KERNELS_CUDA_ATTENTION_WGMMA_H
#define GW_KERNELS_CUDA_ATTENTION_WGMMA_H

#include "kernels/cuda/attention_mma.h"

// Whether it is to be launched: GODWIT_WGMMA=1 asks for it, GODWIT_WGMMA=0 against it; without either where `make
// test-gpu` wrote that it passed on such a GPU.
bool gw_wgmma_attention_is_on(const gpu_mma_attention *p);
// Over p->jobs of queries, in tiles of 64.
gw_status gw_wgmma_attention_launch(const gpu_mma_attention *p);

#endif
