// SPDX-License-Identifier: MIT
// The number that the gradient of each query's scores is measured from.
#ifndef GW_KERNELS_CUDA_ATTENTION_DELTA_H
#define GW_KERNELS_CUDA_ATTENTION_DELTA_H

#include "kernels/cuda/frame.h"

// delta [H][query_rows]: delta_i = dout_i . out_i for each row and head.
gw_status gw_cuda_attention_delta(const gw_attention_args *args, float *delta);

#endif
