// SPDX-License-Identifier: MIT
// What each query's gradient of scores is measured from.
#ifndef GW_KERNELS_CUDA_ATTENTION_DELTA_H
#define GW_KERNELS_CUDA_ATTENTION_DELTA_H

#include "kernels/cuda/frame.h"

// delta_i = dout_i . out_i of each row and head: [H][query_rows].
gw_status gw_cuda_attention_delta(const gw_attention_args *args, float *delta);

#endif
