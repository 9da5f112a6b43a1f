// SPDX-License-Identifier: MIT
// Takes 1e6 off the logits of a question's tokens but the first: a warp a sequence.
#include "kernels/cuda/frame.h"

static __global__ void question_mask(gw_question_mask_args a) {
    const int64_t s = gpu_row();
    if (s >= a.sequences) return; // a whole warp
    const int64_t begin = (a.start[s] + 1) * a.width, end = (a.start[s] + a.question[s]) * a.width;
    for (int64_t i = begin + gpu_lane(); i < end; i += GW_CUDA_WARP) a.logit[i] -= 1e6f;
}

GW_CUDA_OP(question_mask, gw_question_mask_args) {
    return gw_cuda_launch_rows("question_mask", question_mask, args->sequences, *args);
}
