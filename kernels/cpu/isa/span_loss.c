// SPDX-License-Identifier: MIT
// The cross entropies of an answer's first and last token. The classes, a sequence's tokens, are in columns of the
// logits. They are copied to rows of scratch memory, where cross_entropy reads each sequence.
#include "kernels/cpu/isa/isa.h"

#include <stddef.h>

static void copy_to_rows(const gw_span_loss_args *args) {
    for (int64_t i = 0; i < args->tokens; i++)
        for (int end = 0; end < GW_SPAN_ENDS; end++)
            args->scratch[end * args->tokens + i] = args->logit[i * GW_SPAN_ENDS + end];
}

static void copy_from_rows(const gw_span_loss_args *args) {
    for (int64_t i = 0; i < args->tokens; i++)
        for (int end = 0; end < GW_SPAN_ENDS; end++)
            args->gradient[i * GW_SPAN_ENDS + end] = args->scratch[end * args->tokens + i];
}

static gw_status sequence_loss(const gw_span_loss_args *args, int64_t s) {
    float *rows = args->scratch + args->start[s];
    return GW_KERNEL(cross_entropy)(&(gw_cross_entropy_args){
        .rows = GW_SPAN_ENDS,
        .classes = args->start[s + 1] - args->start[s],
        .logit = rows,
        .logit_stride = args->tokens,
        .label = args->label + s * GW_SPAN_ENDS,
        .loss = args->loss + s * GW_SPAN_ENDS,
        .best = args->best + s * GW_SPAN_ENDS,
        .gradient = args->gradient ? rows : NULL,
        .gradient_scale = args->gradient_scale,
    });
}

gw_status GW_KERNEL(span_loss)(const gw_span_loss_args *args) {
    copy_to_rows(args);
    for (int64_t s = 0; s < args->sequences; s++) GW_TRY(sequence_loss(args, s));
    if (args->gradient) copy_from_rows(args);
    return GW_OK;
}
