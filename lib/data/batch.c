// SPDX-License-Identifier: MIT
#include "data/batch.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

gw_status gw_example_batch_make(gw_example_batch *batch, const gw_tokenizer *tokenizer, int64_t most_sequences,
                                int64_t most_tokens, int64_t most_masked) {
    *batch =
        (gw_example_batch){.most_sequences = most_sequences, .most_tokens = most_tokens, .most_masked = most_masked};
    GW_TRY(gw_tokenizer_need(tokenizer, GW_SPECIAL_CLS, &batch->classifier));
    GW_TRY(gw_tokenizer_need(tokenizer, GW_SPECIAL_SEP, &batch->separator));
    batch->start = gw_alloc(most_sequences + 1, sizeof *batch->start);
    batch->token = gw_alloc(most_tokens, sizeof *batch->token);
    batch->segment = gw_alloc(most_tokens, sizeof *batch->segment);
    batch->masked_row = gw_alloc(most_masked, sizeof *batch->masked_row);
    batch->masked_label = gw_alloc(most_masked, sizeof *batch->masked_label);
    batch->pair_label = gw_alloc(most_sequences, sizeof *batch->pair_label);
    if (batch->start && batch->token && batch->segment && batch->masked_row && batch->masked_label && batch->pair_label)
        return GW_OK;
    gw_example_batch_free(batch);
    return GW_ERR_MEMORY;
}

void gw_example_batch_free(gw_example_batch *batch) {
    free(batch->start);
    free(batch->token);
    free(batch->segment);
    free(batch->masked_row);
    free(batch->masked_label);
    free(batch->pair_label);
    *batch = (gw_example_batch){0};
}

void gw_example_batch_clear(gw_example_batch *batch) {
    batch->sequences = batch->tokens = batch->masked = 0;
}

bool gw_example_fits(const gw_example_batch *batch, int64_t tokens, int64_t masked) {
    return batch->sequences < batch->most_sequences &&
           batch->tokens + tokens + GW_PAIR_SPECIALS <= batch->most_tokens &&
           batch->masked + masked <= batch->most_masked;
}

static void append_special(gw_example_batch *batch, int32_t token, int32_t segment) {
    batch->token[batch->tokens] = token;
    batch->segment[batch->tokens++] = segment;
}

static void append_span(gw_example_batch *batch, const gw_pack *pack, gw_span span, int32_t segment) {
    gw_pack_read(pack, span, batch->token + batch->tokens);
    for (int64_t i = 0; i < span.count; i++) batch->segment[batch->tokens + i] = segment;
    batch->tokens += span.count;
    append_special(batch, batch->separator, segment);
}

void gw_example_append(gw_example_batch *batch, const gw_pack *pack, const gw_pair *pair) {
    assert(gw_example_fits(batch, pair->a.count + pair->b.count, 0));
    batch->start[batch->sequences] = batch->tokens;
    append_special(batch, batch->classifier, 0);
    append_span(batch, pack, pair->a, 0);
    if (pair->b.count > 0) append_span(batch, pack, pair->b, 1);
    batch->pair_label[batch->sequences++] = pair->label;
    batch->start[batch->sequences] = batch->tokens;
}

void gw_example_mask(gw_example_batch *batch, const gw_masker *masker, gw_random *random) {
    const int64_t first = batch->start[batch->sequences - 1];
    int32_t *row = batch->masked_row + batch->masked;
    const int64_t chosen =
        gw_mask(masker, random, batch->token + first, batch->tokens - first, row, batch->masked_label + batch->masked);
    for (int64_t i = 0; i < chosen; i++) row[i] += (int32_t)first;
    batch->masked += chosen;
}
