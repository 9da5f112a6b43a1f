// SPDX-License-Identifier: MIT
// A network of its own, whose values stay, goes through sequences in groups that its memory holds.
#include "network/needed.h"

#include "base/log.h"
#include "base/memory.h"
#include "network/network_private.h"
#include "network/sharing.h"
#include "nn/changes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 4096, MOST_SEQUENCES = 256 };

struct gw_needed {
    gw_network *network;
    gw_changes *changes;
    gw_tensor logits;
    int64_t start[2];
    int64_t length; // tokens of the sequences that the changes are of; 0: none yet
    float *out;     // [masked tokens][vocabulary]
    int64_t done, capacity;
    double share;
    gw_string shares;
};

static gw_status make(gw_needed *n, gw_model *model, int64_t memory, bool *can) {
    const int64_t longest = gw_config_longest(&model->config), room = longest > LEAST_ROOM ? longest : LEAST_ROOM;
    const gw_network_options options = {.tokens = longest + room,
                                        .sequences = MOST_SEQUENCES + 1,
                                        .masked = MOST_SEQUENCES + 1,
                                        .output_rows = GW_OUTPUT_MASKED,
                                        .keeps = true};
    *can = gw_config_may_share(&model->config, longest + room, memory) && !model->members;
    if (!*can) return GW_OK;
    GW_TRY(gw_network_new(model, &options, &n->network));
    n->logits = n->network->output[GW_ROWS_MASKED].tensor;
    *can = gw_network_bytes(n->network) <= memory && n->logits.width > 0;
    if (!*can) return GW_OK;
    GW_TRY(gw_changes_new(&n->network->plan, GW_ROWS_TOKENS, GW_ROWS_MASKED, &n->changes));
    *can = n->changes != NULL;
    return GW_OK;
}

gw_status gw_needed_new(gw_model *model, int64_t memory, gw_needed **out) {
    bool can = false;
    *out = NULL;
    gw_needed *made = gw_alloc(1, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    const gw_status status = make(made, model, memory, &can);
    if (status == GW_OK && can) *out = made;
    else gw_needed_free(made);
    return status;
}

void gw_needed_free(gw_needed *n) {
    if (!n) return;
    gw_changes_free(n->changes);
    gw_network_free(n->network);
    gw_string_free(&n->shares);
    free(n->out);
    free(n);
}

static gw_status run_group(gw_needed *n) {
    const int64_t count = gw_changes_count(n->changes), width = n->logits.width;
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_changes_run(n->changes));
    memcpy(n->out + n->done * width, gw_changes_value(n->changes, n->logits), (size_t)(count * width) * sizeof *n->out);
    n->done += count;
    gw_changes_clear(n->changes);
    return GW_OK;
}

// What stands in a sequence of so many tokens, whichever these are.
static gw_status begin(gw_needed *n, int32_t *tokens, int64_t length) {
    const gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = n->start, .token = tokens}}};
    if (gw_changes_count(n->changes) > 0) GW_TRY(run_group(n));
    n->length = n->start[1] = length;
    GW_TRY(gw_network_complete(n->network, &batch));
    const gw_run run = gw_network_run(n->network);
    gw_changes_begin(n->changes, &run);
    return GW_OK;
}

static gw_status note_shares(gw_needed *n, double share) {
    if (n->shares.length > 0) return GW_OK;
    n->share = share;
    gw_changes_print_shares(n->changes, &n->shares);
    return gw_string_status(&n->shares);
}

static gw_status add(gw_needed *n, int32_t *tokens, int64_t length, int64_t row, bool *taken) {
    double share;
    if (length != n->length) GW_TRY(begin(n, tokens, length));
    GW_TRY(gw_changes_add(n->changes, tokens, row, GW_MOST_SHARE, &share, taken));
    if (!*taken && share <= GW_MOST_SHARE && gw_changes_count(n->changes) > 0) {
        GW_TRY(run_group(n));
        GW_TRY(gw_changes_add(n->changes, tokens, row, GW_MOST_SHARE, &share, taken));
    }
    return *taken ? note_shares(n, share) : GW_OK;
}

// Whether each sequence has one masked token.
static bool has_one_each(const gw_rows *stream, const gw_rows *masked) {
    bool one = masked->count == stream->sequences;
    for (int64_t s = 0; one && s < stream->sequences; s++)
        one = masked->row[s] >= stream->start[s] && masked->row[s] < stream->start[s + 1];
    return one;
}

gw_status gw_needed_run(gw_needed *n, const gw_batch *batch, const float **logits) {
    const gw_rows *stream = &batch->of[GW_ROWS_TOKENS], *masked = &batch->of[GW_ROWS_MASKED];
    *logits = NULL;
    if (!has_one_each(stream, masked)) return GW_OK;
    GW_TRY(gw_reserve(&n->out, &n->capacity, masked->count * n->logits.width, sizeof *n->out));
    n->done = 0;
    gw_changes_clear(n->changes);
    for (int64_t s = 0; s < stream->sequences; s++) {
        const int64_t first = stream->start[s];
        bool taken;
        GW_TRY(add(n, stream->token + first, stream->start[s + 1] - first, masked->row[s] - first, &taken));
        if (!taken) return GW_OK;
    }
    GW_TRY(run_group(n));
    *logits = n->out;
    return GW_OK;
}

void gw_needed_note(const gw_needed *n) {
    if (n->shares.length > 0)
        gw_note("a masked token takes %.3g %% of its window's products; of the rows of each layer, in %%:%s",
                100 * n->share, n->shares.data);
}
