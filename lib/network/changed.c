// SPDX-License-Identifier: MIT
// A network that keeps what it computes of one sequence, and has room for the rows of others behind it.
#include "network/changed.h"

#include "base/log.h"
#include "base/memory.h"
#include "network/network_private.h"
#include "network/sharing.h"
#include "network/token_batch.h"
#include "nn/changes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 4096, MOST_CHANGES = 256 };

struct gw_changed {
    gw_token_batch batch; // the sequence, and behind it the one that is asked for
    gw_network *network;
    gw_changes *changes;
    int rows;
    int64_t *id; // [MOST_CHANGES]
    float *out;  // of tokens: [rows of the sequence][width]
    int64_t out_capacity;
    double share;
    gw_string shares;
};

static gw_status make(gw_changed *c, gw_model *model, int64_t memory, bool *can) {
    const int64_t longest = gw_config_longest(&model->config), room = longest > LEAST_ROOM ? longest : LEAST_ROOM;
    *can = gw_config_may_share(&model->config, longest + room, memory);
    if (!*can) return GW_OK;
    const gw_network_options options = {.tokens = longest + room,
                                        .sequences = MOST_CHANGES + 1,
                                        .output_rows = c->rows == GW_ROWS_FIRST ? GW_OUTPUT_FIRST : GW_OUTPUT_ALL,
                                        .keeps = true};
    c->id = gw_alloc(MOST_CHANGES, sizeof *c->id);
    if (!c->id) return GW_ERR_MEMORY;
    GW_TRY(gw_token_batch_make(&c->batch, model->tokenizer, 2 * longest, 1, longest));
    GW_TRY(gw_network_new(model, &options, &c->network));
    *can = gw_network_bytes(c->network) <= memory && c->network->output[c->rows].tensor.width > 0;
    if (!*can) return GW_OK;
    GW_TRY(gw_changes_new(&c->network->plan, GW_ROWS_TOKENS, GW_CHANGES_OF_NONE, &c->changes));
    *can = c->changes != NULL;
    return GW_OK;
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
    gw_changes_free(c->changes);
    gw_network_free(c->network);
    gw_token_batch_free(&c->batch);
    gw_string_free(&c->shares);
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
    GW_TRY(gw_network_forward(c->network, &c->batch.batch, NULL));
    const gw_run run = gw_network_run(c->network);
    gw_changes_begin(c->changes, &run);
    return GW_OK;
}

const float *gw_changed_outputs(const gw_changed *c) {
    return gw_network_output(c->network, c->rows);
}

gw_status gw_changed_ask(gw_changed *c, const int32_t *tokens, int64_t count, int64_t id, gw_forward_answer *answer,
                         void *context, bool *taken) {
    const gw_rows *stream = &c->batch.batch.of[GW_ROWS_TOKENS];
    *taken = stream->count == count + gw_frame_tokens(&c->batch.frame);
    if (!*taken) return GW_OK;
    put(c, tokens, count);
    const int32_t *framed = stream->token + stream->count;
    double share;
    GW_TRY(gw_changes_add(c->changes, framed, 0, GW_MOST_SHARE, &share, taken));
    if (!*taken && share <= GW_MOST_SHARE && gw_changes_count(c->changes) > 0) {
        GW_TRY(gw_changed_run(c, answer, context));
        GW_TRY(gw_changes_add(c->changes, framed, 0, GW_MOST_SHARE, &share, taken));
    }
    if (!*taken) return GW_OK;
    c->id[gw_changes_count(c->changes) - 1] = id;
    if (c->shares.length > 0) return GW_OK;
    c->share = share;
    gw_changes_print_shares(c->changes, &c->shares);
    return gw_string_status(&c->shares);
}

void gw_changed_note(const gw_changed *c) {
    if (c->shares.length > 0)
        gw_note("an allele computes %.3g %% of its window's products; of the rows of each layer, in %%:%s",
                100 * c->share, c->shares.data);
}

static gw_status outputs_of(gw_changed *c, int64_t change, const float **out) {
    const gw_tensor output = c->network->output[c->rows].tensor;
    *out = gw_changes_value(c->changes, output) + change * output.width;
    if (c->rows == GW_ROWS_FIRST) return GW_OK;
    const int64_t rows = c->batch.batch.of[GW_ROWS_TOKENS].count;
    GW_TRY(gw_reserve(&c->out, &c->out_capacity, rows * output.width, sizeof *c->out));
    gw_changes_rows(c->changes, change, output, c->out);
    *out = c->out;
    return GW_OK;
}

gw_status gw_changed_run(gw_changed *c, gw_forward_answer *answer, void *context) {
    GW_TRY(gw_changes_run(c->changes));
    for (int64_t i = 0; i < gw_changes_count(c->changes); i++) {
        const float *outputs;
        GW_TRY(outputs_of(c, i, &outputs));
        GW_TRY(answer(context, c->id[i], outputs));
    }
    gw_changes_clear(c->changes);
    return GW_OK;
}
