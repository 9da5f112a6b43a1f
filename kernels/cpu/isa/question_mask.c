// SPDX-License-Identifier: MIT
// Subtracts 1e6 from the logits of a question's tokens, except the first, so that none of them starts or ends an
// answer.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

static const float UNLIKELY = 1e6f;

static void each_sequence(void *context, int64_t begin, int64_t end, int thread) {
    const gw_question_mask_args *args = context;
    (void)thread;
    for (int64_t s = begin; s < end; s++)
        for (int64_t i = (args->start[s] + 1) * args->width; i < (args->start[s] + args->question[s]) * args->width;
             i++)
            args->logit[i] -= UNLIKELY;
}

gw_status GW_KERNEL(question_mask)(const gw_question_mask_args *args) {
    gw_parallel_for(args->sequences, 16, each_sequence, (void *)args);
    return GW_OK;
}
