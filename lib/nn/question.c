// SPDX-License-Identifier: MIT
// Question answering: the logits [tokens][2] of an answer's first and last token, of which each sequence has one.
//
// The classes of the loss lie in columns; they are copied to rows, 2 x tokens, for the cross entropy of each sequence.
#include "nn/layers.h"

static const float UNLIKELY = 1e6f; // transformers' number

typedef struct {
    gw_tensor logits;
} mask_step;

static gw_status mask_forward(const gw_run *run, const void *arguments) {
    const mask_step *step = arguments;
    const int64_t width = step->logits.width;
    for (int64_t s = 0; s < run->rows[GW_ROWS_SEQUENCES]; s++)
        for (int64_t i = (run->start[s] + 1) * width; i < (run->start[s] + run->question[s]) * width; i++)
            step->logits.value[i] -= UNLIKELY;
    return GW_OK;
}

void gw_plan_question_mask(gw_plan *plan, gw_tensor logits) {
    const mask_step step = {logits};
    gw_plan_append(plan, logits.rows, mask_forward, NULL, &step, sizeof step);
}

enum { ENDS = 2 };

typedef struct {
    gw_tensor logits;
    float *rows; // [ENDS][tokens]
    gw_loss out; // [sequences][ENDS]
} span_step;

static void copy_columns(const gw_run *run, const span_step *step) {
    const int64_t tokens = run->rows[GW_ROWS_TOKENS];
    for (int64_t i = 0; i < tokens; i++)
        for (int end = 0; end < ENDS; end++) step->rows[end * tokens + i] = step->logits.value[i * ENDS + end];
}

static void copy_back(const gw_run *run, const span_step *step) {
    const int64_t tokens = run->rows[GW_ROWS_TOKENS];
    for (int64_t i = 0; i < tokens; i++)
        for (int end = 0; end < ENDS; end++) step->logits.gradient[i * ENDS + end] = step->rows[end * tokens + i];
}

static gw_status each_sequence(const gw_run *run, const span_step *step, bool gradient) {
    for (int64_t s = 0; s < run->rows[GW_ROWS_SEQUENCES]; s++) {
        float *rows = step->rows + run->start[s];
        GW_TRY(run->kernels->cross_entropy(&(gw_cross_entropy_args){
            .rows = ENDS,
            .classes = run->start[s + 1] - run->start[s],
            .logit = rows,
            .logit_stride = run->rows[GW_ROWS_TOKENS],
            .label = run->span_label + s * ENDS,
            .loss = step->out.loss + s * ENDS,
            .best = step->out.best + s * ENDS,
            .gradient = gradient ? rows : NULL,
            .gradient_scale = run->label_scale / ENDS,
        }));
    }
    return GW_OK;
}

static gw_status span_forward(const gw_run *run, const void *arguments) {
    copy_columns(run, arguments);
    return each_sequence(run, arguments, false);
}

static gw_status span_backward(const gw_run *run, const void *arguments) {
    copy_columns(run, arguments);
    GW_TRY(each_sequence(run, arguments, true));
    copy_back(run, arguments);
    return GW_OK;
}

gw_loss gw_plan_span_loss(gw_plan *plan, gw_tensor logits) {
    const int64_t rows = plan->most[GW_ROWS_SEQUENCES] * ENDS;
    const gw_loss out = {gw_plan_take(plan, rows, sizeof *out.loss), gw_plan_take(plan, rows, sizeof *out.best)};
    const span_step step = {logits, gw_plan_scratch(plan, plan->most[GW_ROWS_TOKENS] * ENDS), out};
    gw_plan_append(plan, logits.rows, span_forward, span_backward, &step, sizeof step);
    return out;
}
