// SPDX-License-Identifier: MIT
// Windows as sequences of a batch, encoded directly into its stream; and batches of as many examples as fit.
#include "network/examples.h"

#include "network/token_batch.h"

gw_status gw_token_batch_make(gw_token_batch *batch, const gw_tokenizer *tokenizer, int64_t tokens, int64_t sequences,
                              int64_t positions) {
    *batch = (gw_token_batch){.positions = positions};
    GW_TRY(gw_rows_make(&batch->batch.of[GW_ROWS_TOKENS], tokens, sequences, GW_WITH_TOKEN));
    GW_TRY(gw_tokenizer_frame(tokenizer, &batch->frame));
    return gw_encoder_new(tokenizer, &batch->encoder);
}

void gw_token_batch_free(gw_token_batch *batch) {
    gw_encoder_free(batch->encoder);
    gw_batch_free(&batch->batch);
    *batch = (gw_token_batch){0};
}

void gw_token_batch_put(const gw_token_batch *batch, const int32_t *tokens, int64_t count) {
    const gw_rows *stream = &batch->batch.of[GW_ROWS_TOKENS];
    gw_frame_put(&batch->frame, tokens, count, stream->token + stream->count);
}

bool gw_token_batch_add_tokens(gw_token_batch *batch, const int32_t *tokens, int64_t count) {
    gw_rows *stream = &batch->batch.of[GW_ROWS_TOKENS];
    const int64_t framed = count + gw_frame_tokens(&batch->frame);
    if (!gw_rows_fit(stream, framed)) return false;
    gw_token_batch_put(batch, tokens, count);
    stream->count += framed;
    gw_rows_end_sequence(stream);
    return true;
}

gw_status gw_token_batch_check(const gw_token_batch *batch, int64_t length, int64_t tokens) {
    const int64_t framed = tokens + gw_frame_tokens(&batch->frame);
    if (framed <= batch->positions) return GW_OK;
    return gw_fail(GW_ERR_RANGE,
                   "a window of %lld bases makes %lld tokens with special ones; the model has %lld positions",
                   (long long)length, (long long)framed, (long long)batch->positions);
}

gw_status gw_token_batch_add(gw_token_batch *batch, const char *bases, int64_t length, bool *full) {
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(batch->encoder, bases, length, &tokens, &count));
    GW_TRY(gw_token_batch_check(batch, length, count));
    *full = !gw_token_batch_add_tokens(batch, tokens, count);
    return GW_OK;
}

gw_status gw_examples_fill(const gw_examples *e, int64_t step, int64_t *next, int64_t end, int64_t stride) {
    const int64_t first = *next;
    gw_batch_clear(e->batch);
    for (bool full = false; *next < end; *next += stride) {
        GW_TRY(e->add(e->self, step, *next, &full));
        if (full && *next > first) return GW_OK;
        if (full)
            return gw_fail(GW_ERR_RANGE, "example %lld of step %lld does not fit a batch", (long long)*next + 1,
                           (long long)step + 1);
    }
    return GW_OK;
}

void gw_examples_free(gw_examples *examples) {
    if (examples->self) examples->free(examples->self);
    *examples = (gw_examples){0};
}

gw_examples gw_examples_of(const gw_examples *kind, void *self, gw_batch *batch, gw_network_options limits,
                           int64_t sequences) {
    gw_examples examples = *kind;
    examples.self = self;
    examples.batch = batch;
    examples.limits = limits;
    examples.sequences = sequences;
    return examples;
}

gw_status gw_examples_made(gw_examples *examples, gw_status status) {
    if (status != GW_OK) gw_examples_free(examples);
    return status;
}
