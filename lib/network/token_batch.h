// SPDX-License-Identifier: MIT
// A batch of windows of bases: the tokens of each window with its special tokens ([CLS] ... [SEP]), end to end, without
// padding.
#ifndef GW_NETWORK_TOKEN_BATCH_H
#define GW_NETWORK_TOKEN_BATCH_H

#include "base/batch.h"
#include "network/network.h"
#include "text/tokenizer.h"

// A batch and the encoder that fills its stream of tokens.
typedef struct {
    gw_batch batch;
    gw_encoder *encoder;
    gw_frame frame;
    int64_t positions;
} gw_token_batch;

// Allocates `tokens` tokens (special tokens included) and `sequences` sequences of at most `positions` tokens each.
// Borrows the tokenizer. Free the batch with gw_token_batch_free(), also after a failure.
gw_status gw_token_batch_make(gw_token_batch *batch, const gw_tokenizer *tokenizer, int64_t tokens, int64_t sequences,
                              int64_t positions) GW_MUST_CHECK;
void gw_token_batch_free(gw_token_batch *batch);
// Fails if a window of `length` bases has more tokens than the positions hold. A window is never truncated.
gw_status gw_token_batch_check(const gw_token_batch *batch, int64_t length, int64_t tokens) GW_MUST_CHECK;
// Writes tokens, special tokens included, behind those of the batch, without counting them. The batch must have the
// capacity.
void gw_token_batch_put(const gw_token_batch *batch, const int32_t *tokens, int64_t count);
// Appends a window. If the window does not fit, *full is set and nothing is appended.
gw_status gw_token_batch_add(gw_token_batch *batch, const char *bases, int64_t length, bool *full) GW_MUST_CHECK;
// Appends a sequence of tokens, without special tokens, at most positions minus special tokens. False if it does not
// fit.
bool gw_token_batch_add_tokens(gw_token_batch *batch, const int32_t *tokens, int64_t count);

#endif
