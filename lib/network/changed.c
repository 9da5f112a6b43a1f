// SPDX-License-Identifier: MIT
// A network that keeps what it computes of one sequence, and has room for the rows of others behind it.
#include "network/changed.h"

#include "base/log.h"
#include "base/memory.h"
#include "network/partial.h"
#include "network/token_batch.h"

#include <stdlib.h>
#include <string.h>

struct gw_changed {
    gw_token_batch batch; // the sequence, and behind it the one that is asked for
    gw_partial run;
    int rows;
    int64_t *id; // [GW_PARTIAL_SEQUENCES]
    float *out;  // of tokens: [rows of the sequence][width]
    int64_t out_capacity;
};

static gw_status make(gw_changed *c, gw_model *model, int64_t memory, bool *can) {
    const int64_t longest = gw_config_longest(&model->config);
    GW_TRY(gw_partial_make(&c->run, model, c->rows, memory, can));
    if (!*can) return GW_OK;
    c->id = gw_alloc(GW_PARTIAL_SEQUENCES, sizeof *c->id);
    return c->id ? gw_token_batch_make(&c->batch, model->tokenizer, 2 * longest, 1, longest) : GW_ERR_MEMORY;
}

gw_status gw_changed_new(gw_model *model, int rows, int64_t memory, gw_changed **out) {
    bool can = false;
    *out = NULL;
    gw_changed *made = gw_alloc(1, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    made->rows = rows;
    const gw_status status = make(made, model, memory, &can);
    if (status == GW_OK && can) *out = made;
    else gw_changed_free(made);
    return status;
}

void gw_changed_free(gw_changed *c) {
    if (!c) return;
    gw_partial_free(&c->run);
    gw_token_batch_free(&c->batch);
    free(c->id);
    free(c->out);
    free(c);
}

// Writes a sequence with its frame behind the batch's; whether it is the one before it.
static bool put(gw_changed *c, const int32_t *tokens, int64_t count) {
    const gw_rows *stream = &c->batch.batch.of[GW_ROWS_TOKENS];
    const int64_t framed = count + gw_frame_tokens(&c->batch.frame);
    gw_token_batch_put(&c->batch, tokens, count);
    return stream->count == framed &&
           memcmp(stream->token, stream->token + framed, (size_t)framed * sizeof *stream->token) == 0;
}

gw_status gw_changed_begin(gw_changed *c, const int32_t *tokens, int64_t count) {
    if (put(c, tokens, count)) return GW_OK;
    gw_batch_clear(&c->batch.batch);
    if (!gw_token_batch_add_tokens(&c->batch, tokens, count)) return gw_token_batch_check(&c->batch, count, count);
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_network_forward(c->run.network, &c->batch.batch, NULL));
    gw_partial_begin(&c->run);
    return GW_OK;
}

const float *gw_changed_outputs(const gw_changed *c) {
    return gw_network_output(c->run.network, c->rows);
}

// Those that were asked for, to be told where there is no more room.
typedef struct {
    gw_changed *changed;
    gw_forward_answer *answer;
    void *context;
} asked;

static gw_status flush(void *context) {
    const asked *a = context;
    return gw_changed_run(a->changed, a->answer, a->context);
}

gw_status gw_changed_ask(gw_changed *c, const int32_t *tokens, int64_t count, int64_t id, gw_forward_answer *answer,
                         void *context, bool *taken) {
    const gw_rows *stream = &c->batch.batch.of[GW_ROWS_TOKENS];
    asked before = {c, answer, context};
    *taken = stream->count == count + gw_frame_tokens(&c->batch.frame);
    if (!*taken) return GW_OK;
    put(c, tokens, count);
    GW_TRY(gw_partial_add(&c->run, stream->token + stream->count, 0, flush, &before, taken));
    if (*taken) c->id[gw_changes_count(c->run.changes) - 1] = id;
    return GW_OK;
}

void gw_changed_note(const gw_changed *c) {
    gw_partial_note(&c->run, "an allele computes");
}

static gw_status outputs_of(gw_changed *c, int64_t change, const float **out) {
    const gw_tensor output = c->run.output;
    *out = gw_changes_value(c->run.changes, output) + change * output.width;
    if (c->rows == GW_ROWS_FIRST) return GW_OK;
    const int64_t rows = c->batch.batch.of[GW_ROWS_TOKENS].count;
    GW_TRY(gw_reserve(&c->out, &c->out_capacity, rows * output.width, sizeof *c->out));
    gw_changes_rows(c->run.changes, change, output, c->out);
    *out = c->out;
    return GW_OK;
}

gw_status gw_changed_run(gw_changed *c, gw_forward_answer *answer, void *context) {
    GW_TRY(gw_changes_run(c->run.changes));
    for (int64_t i = 0; i < gw_changes_count(c->run.changes); i++) {
        const float *outputs;
        GW_TRY(outputs_of(c, i, &outputs));
        GW_TRY(answer(context, c->id[i], outputs));
    }
    gw_changes_clear(c->run.changes);
    return GW_OK;
}
