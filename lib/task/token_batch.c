// SPDX-License-Identifier: MIT
#include "task/token_batch.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct gw_token_batch {
    gw_encoder *encoder;
    int32_t classifier, separator; // [CLS] and [SEP]
    int64_t most_tokens, most_sequences, positions;
    int32_t *token; // [most_tokens]
    int64_t *start; // [most_sequences + 1]
    int sequences;
};

gw_status gw_token_batch_new(const gw_tokenizer *tokenizer, int64_t tokens, int64_t sequences, int64_t positions,
                             gw_token_batch **out) {
    *out = NULL;
    gw_token_batch *batch = gw_alloc(1, sizeof *batch);
    if (!batch) return GW_ERR_MEMORY;
    batch->most_tokens = tokens;
    batch->most_sequences = sequences;
    batch->positions = positions;
    batch->token = gw_alloc(tokens, sizeof *batch->token);
    batch->start = gw_alloc(sequences + 1, sizeof *batch->start);
    gw_status status = batch->token && batch->start ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_tokenizer_need(tokenizer, GW_SPECIAL_CLS, &batch->classifier);
    if (status == GW_OK) status = gw_tokenizer_need(tokenizer, GW_SPECIAL_SEP, &batch->separator);
    if (status == GW_OK) status = gw_encoder_new(tokenizer, &batch->encoder);
    if (status == GW_OK) *out = batch;
    else gw_token_batch_free(batch);
    return status;
}

void gw_token_batch_free(gw_token_batch *batch) {
    if (!batch) return;
    gw_encoder_free(batch->encoder);
    free(batch->token);
    free(batch->start);
    free(batch);
}

void gw_token_batch_clear(gw_token_batch *batch) {
    batch->sequences = 0;
}

bool gw_token_batch_add_tokens(gw_token_batch *batch, const int32_t *tokens, int64_t count) {
    const int64_t begin = batch->start[batch->sequences], end = begin + count + GW_AROUND_TOKENS;
    if (batch->sequences == batch->most_sequences || end > batch->most_tokens) return false;
    batch->token[begin] = batch->classifier;
    memcpy(batch->token + begin + 1, tokens, (size_t)count * sizeof *tokens);
    batch->token[end - 1] = batch->separator;
    batch->start[++batch->sequences] = end;
    return true;
}

gw_status gw_token_batch_add(gw_token_batch *batch, const char *bases, int64_t length, bool *full) {
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(batch->encoder, bases, length, &tokens, &count));
    if (count + GW_AROUND_TOKENS > batch->positions)
        return gw_fail(GW_ERR_RANGE,
                       "a window of %lld bases makes %lld tokens with [CLS] and [SEP]; the model has %lld positions",
                       (long long)length, (long long)(count + GW_AROUND_TOKENS), (long long)batch->positions);
    *full = !gw_token_batch_add_tokens(batch, tokens, count);
    return GW_OK;
}

void gw_token_batch_drop(gw_token_batch *batch) {
    batch->sequences--;
}

int gw_token_batch_sequences(const gw_token_batch *batch) {
    return batch->sequences;
}

int64_t gw_token_batch_tokens(const gw_token_batch *batch) {
    return batch->start[batch->sequences];
}

void gw_token_batch_view(const gw_token_batch *batch, gw_batch *view) {
    view->sequences = batch->sequences;
    view->start = batch->start;
    view->token = batch->token;
}
