// SPDX-License-Identifier: MIT
// Runs full batches; keeps what was asked for, and who waits for it.
#include "network/forward.h"

#include "base/log.h"
#include "base/memory.h"
#include "model/model.h"
#include "network/partial.h"

#include <math.h>
#include <stdlib.h>

// A question whose answer the batch will make, and where that will be.
struct gw_waiting {
    int64_t id, entry;
};

gw_status gw_forward_make(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                          void *context) {
    *f = (gw_forward){.batch = batch, .context = context};
    return gw_network_new(model, options, &f->network);
}

gw_status gw_forward_members(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             void *context) {
    *f = (gw_forward){.batch = batch, .context = context, .member_count = gw_model_member_count(model)};
    f->members = gw_alloc(f->member_count, sizeof(gw_network *));
    if (!f->members) return GW_ERR_MEMORY;
    for (int i = 0; i < f->member_count; i++)
        GW_TRY(gw_network_new(gw_model_member(model, i), options, &f->members[i]));
    return GW_OK;
}

gw_status gw_forward_answers(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             int rows, gw_forward_answer *answer, void *context) {
    const int64_t most = rows == GW_ROWS_FIRST ? options->sequences : options->masked;
    GW_TRY(gw_forward_make(f, model, options, batch, context));
    f->answer = answer;
    f->asked_rows = rows;
    f->width = gw_network_output_width(f->network, rows);
    f->entry = gw_alloc(most, sizeof *f->entry);
    if (!f->entry) return GW_ERR_MEMORY;
    return gw_output_cache_new(gw_config_longest(&model->config), f->width, most, &f->cache);
}

gw_status gw_forward_need(gw_forward *f, gw_model *model, int64_t memory) {
    return memory > 0 ? gw_partial_new(model, GW_ROWS_MASKED, memory, &f->partial) : GW_OK;
}

void gw_forward_free(gw_forward *f) {
    for (int i = 0; f->members && i < f->member_count; i++) gw_network_free(f->members[i]);
    if (!f->members) gw_network_free(f->network);
    free(f->members);
    gw_partial_free(f->partial);
    gw_output_cache_free(f->cache);
    free(f->entry);
    free(f->waiting);
    *f = (gw_forward){0};
}

static void clear(gw_forward *f) {
    gw_batch_clear(f->batch);
    f->entry_count = f->waiting_count = 0;
}

void gw_forward_reset(gw_forward *f) {
    clear(f);
    if (f->cache) gw_output_cache_clear(f->cache);
}

// Runs the batch; *outputs of the asked rows, where answers are wanted.
static gw_status run_batch(gw_forward *f, gw_losses *losses, const float **outputs) {
    *outputs = NULL;
    if (f->partial) GW_TRY(gw_partial_masked(f->partial, f->batch, outputs));
    if (*outputs) return GW_OK;
    GW_TRY(gw_network_forward(f->network, f->batch, losses));
    if (!f->cache) return GW_OK;
    *outputs = gw_network_output(f->network, f->asked_rows);
    return *outputs ? GW_OK : GW_ERR_IO;
}

static gw_status give_answers(gw_forward *f, const float *outputs) {
    for (int64_t i = 0; i < f->entry_count; i++) gw_output_cache_set(f->cache, f->entry[i], outputs + i * f->width);
    for (int64_t i = 0; i < f->waiting_count; i++)
        GW_TRY(f->answer(f->context, f->waiting[i].id, gw_output_cache_get(f->cache, f->waiting[i].entry)));
    return GW_OK;
}

gw_status gw_forward_run(gw_forward *f) {
    gw_losses losses;
    if (f->batch->of[GW_ROWS_TOKENS].sequences == 0) return GW_OK;
    GW_TRY(gw_check_interrupt());
    for (int i = 0; i < (f->members ? f->member_count : 1); i++) {
        const float *outputs;
        if (f->members) f->network = f->members[i];
        GW_TRY(run_batch(f, f->losses ? &losses : NULL, &outputs));
        if (f->cache) GW_TRY(give_answers(f, outputs));
        if (f->ran) GW_TRY(f->ran(f->context, f->losses ? &losses : NULL));
    }
    clear(f);
    return GW_OK;
}

gw_status gw_forward_reserve(gw_forward *f, int64_t count, int64_t rows) {
    const gw_rows *stream = &f->batch->of[GW_ROWS_TOKENS], *asked = &f->batch->of[GW_ROWS_MASKED];
    const bool rows_fit = !asked->row || asked->count + rows <= asked->most;
    return gw_rows_fit(stream, count) && rows_fit ? GW_OK : gw_forward_run(f);
}

static gw_status wait(gw_forward *f, int64_t id, int64_t entry) {
    GW_TRY(gw_reserve(&f->waiting, &f->waiting_capacity, f->waiting_count + 1, sizeof *f->waiting));
    f->waiting[f->waiting_count++] = (struct gw_waiting){id, entry};
    return GW_OK;
}

gw_status gw_forward_ask(gw_forward *f, int64_t count, int64_t at, int64_t id) {
    const gw_rows *stream = &f->batch->of[GW_ROWS_TOKENS];
    gw_rows *asked = &f->batch->of[f->asked_rows];
    const gw_output_key key = {.tokens = stream->token + stream->count, .count = count, .asked = at};
    int64_t entry = gw_output_cache_find(f->cache, key);
    const float *outputs = entry >= 0 ? gw_output_cache_get(f->cache, entry) : NULL;
    if (outputs) return f->answer(f->context, id, outputs);
    if (entry < 0) {
        f->entry[f->entry_count++] = entry = gw_output_cache_add(f->cache, key);
        if (asked->row) asked->row[asked->count++] = (int32_t)(stream->count + at);
    }
    return wait(f, id, entry);
}

void gw_forward_end(gw_forward *f, int64_t count) {
    gw_rows *stream = &f->batch->of[GW_ROWS_TOKENS];
    const gw_rows *asked = &f->batch->of[f->asked_rows];
    const bool computes = asked->row ? asked->count > 0 && asked->row[asked->count - 1] >= stream->count
                                     : f->entry_count > stream->sequences;
    if (!computes) return;
    stream->count += count;
    gw_rows_end_sequence(stream);
}

gw_status gw_output_not_finite(void) {
    return gw_fail(GW_ERR_RANGE, "an output of the model is not a finite number");
}

gw_status gw_check_outputs(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return gw_output_not_finite();
    return GW_OK;
}
