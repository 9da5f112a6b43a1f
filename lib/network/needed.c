// SPDX-License-Identifier: MIT
// A network of its own, whose values stay, goes through sequences in groups that its memory holds.
#include "network/needed.h"

#include "base/log.h"
#include "base/memory.h"
#include "network/partial.h"

#include <stdlib.h>
#include <string.h>

struct gw_needed {
    gw_partial run;
    int64_t start[2];
    int64_t length; // tokens of the sequences that the changes are of; 0: none yet
    float *out;     // [masked tokens][vocabulary]
    int64_t done, capacity;
};

gw_status gw_needed_new(gw_model *model, int64_t memory, gw_needed **out) {
    bool can = false;
    *out = NULL;
    gw_needed *made = gw_alloc(1, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    const gw_status status = gw_partial_make(&made->run, model, GW_ROWS_MASKED, memory, &can);
    if (status == GW_OK && can) *out = made;
    else gw_needed_free(made);
    return status;
}

void gw_needed_free(gw_needed *n) {
    if (!n) return;
    gw_partial_free(&n->run);
    free(n->out);
    free(n);
}

static gw_status run_group(void *context) {
    gw_needed *n = context;
    gw_changes *changes = n->run.changes;
    const int64_t count = gw_changes_count(changes), width = n->run.output.width;
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_changes_run(changes));
    memcpy(n->out + n->done * width, gw_changes_value(changes, n->run.output),
           (size_t)(count * width) * sizeof *n->out);
    n->done += count;
    gw_changes_clear(changes);
    return GW_OK;
}

// What stands in a sequence of so many tokens, whichever these are.
static gw_status begin(gw_needed *n, int32_t *tokens, int64_t length) {
    const gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = n->start, .token = tokens}}};
    if (gw_changes_count(n->run.changes) > 0) GW_TRY(run_group(n));
    n->length = n->start[1] = length;
    GW_TRY(gw_network_complete(n->run.network, &batch));
    gw_partial_begin(&n->run);
    return GW_OK;
}

static gw_status add(gw_needed *n, int32_t *tokens, int64_t length, int64_t row, bool *taken) {
    if (length != n->length) GW_TRY(begin(n, tokens, length));
    return gw_partial_add(&n->run, tokens, row, run_group, n, taken);
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
    GW_TRY(gw_reserve(&n->out, &n->capacity, masked->count * n->run.output.width, sizeof *n->out));
    n->done = 0;
    gw_changes_clear(n->run.changes);
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
    gw_partial_note(&n->run, "a masked token takes");
}
