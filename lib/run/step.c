// SPDX-License-Identifier: MIT
// A step runs in passes of as many examples as a batch holds. The scales of the backward passes are those of the whole
// step, and rows are counted on from pass to pass for dropout, so that passes add up to what one would give.
#include "run/step.h"

#include "base/log.h"

gw_status gw_steps_make(gw_steps *step, gw_model *model, const gw_examples *examples, gw_network_options options) {
    const gw_network_options *limits = &examples->limits;
    step->examples = examples;
    options.tokens = limits->tokens;
    options.sequences = limits->sequences;
    options.masked = limits->masked;
    options.targets = limits->targets;
    options.step_sequences = examples->sequences;
    return gw_network_new(model, &options, &step->network);
}

void gw_steps_free(gw_steps *step) {
    gw_network_free(step->network);
    *step = (gw_steps){0};
}

typedef struct {
    const gw_steps *step;
    int64_t number;
    int64_t done[GW_BATCH_ROWS]; // rows of the streams in earlier passes
    bool backward;
    float scale[GW_BATCH_ROWS]; // 1 over the step's labels
    gw_step_sums *sums;
} step_run;

static void count_rows(step_run *run, gw_batch *batch) {
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        gw_rows *rows = &batch->of[r];
        if (!rows->start) continue;
        rows->first = run->done[r];
        run->done[r] += rows->count;
        if (r != GW_ROWS_CHOICES || !rows->number) run->sums->tokens += rows->count; // choices are no tokens
    }
}

static gw_status run_pass(step_run *run) {
    gw_batch *batch = run->step->examples->batch;
    gw_losses losses;
    GW_TRY(gw_check_interrupt());
    batch->step = (uint32_t)run->number;
    count_rows(run, batch);
    GW_TRY(gw_network_forward(run->step->network, batch, &losses));
    if (run->backward) GW_TRY(gw_network_backward(run->step->network, run->scale));
    gw_losses_add(&run->sums->losses, &losses);
    return GW_OK;
}

// Sets the labels of examples [first, end), and the scales. Returns whether there are any.
static gw_status count_labels(step_run *run, int64_t first, int64_t end, bool *any) {
    const gw_examples *e = run->step->examples;
    int64_t *labels = run->sums->labels;
    for (int64_t i = first; i < end; i++) GW_TRY(e->labels(e->self, run->number, i, labels));
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        run->scale[r] = labels[r] > 0 ? 1 / (float)labels[r] : 0;
        *any = *any || labels[r] > 0;
    }
    return GW_OK;
}

static gw_status run_examples(step_run *run, int64_t first, int64_t end) {
    const gw_examples *e = run->step->examples;
    bool any = false;
    GW_TRY(count_labels(run, first, end, &any));
    while (any && first < end) {
        GW_TRY(gw_examples_fill(e, run->number, &first, end));
        GW_TRY(run_pass(run));
    }
    return GW_OK;
}

static gw_status run_step(const gw_steps *step, int64_t number, bool backward, gw_step_sums *sums) {
    step_run run = {.step = step, .number = number, .backward = backward, .sums = sums};
    *sums = (gw_step_sums){0};
    gw_network_restart_metrics(step->network);
    return run_examples(&run, 0, step->examples->count(step->examples->self, number));
}

gw_status gw_step_gradient(gw_steps *step, int64_t number, gw_step_sums *sums) {
    return run_step(step, number, true, sums);
}

gw_status gw_step_losses(gw_steps *step, int64_t number, gw_step_sums *sums) {
    return run_step(step, number, false, sums);
}

double gw_step_mean(const gw_step_sums *sums) {
    double mean = 0;
    for (int r = 0; r < GW_BATCH_ROWS; r++)
        if (sums->labels[r] > 0) mean += sums->losses.of[r].loss / (double)sums->labels[r];
    return mean;
}
