// SPDX-License-Identifier: MIT
// Windows of bases as sequences of a batch: the tokens of each in their frame, [CLS] ... [SEP], end to end, without
// padding.
#ifndef GW_NETWORK_TOKEN_BATCH_H
#define GW_NETWORK_TOKEN_BATCH_H

#include "base/batch.h"
#include "network/network.h"
#include "text/tokenizer.h"

// A batch with what fills its stream of tokens.
typedef struct {
    gw_batch batch;
    gw_encoder *encoder;
    gw_frame frame;
    int64_t positions;
} gw_token_batch;

// Room for `tokens` tokens (special ones included) and `sequences` sequences, none longer than `positions` tokens.
// Borrows the tokenizer. Free it with gw_token_batch_free(), also on failure.
gw_status gw_token_batch_make(gw_token_batch *batch, const gw_tokenizer *tokenizer, int64_t tokens, int64_t sequences,
                              int64_t positions) GW_MUST_CHECK;
void gw_token_batch_free(gw_token_batch *batch);
// Refuses a window of so many tokens where these are more than the positions hold: it is never truncated.
gw_status gw_token_batch_check(const gw_token_batch *batch, int64_t length, int64_t tokens) GW_MUST_CHECK;
// Writes tokens with special ones behind what the batch holds, which must have the room, and does not count them.
void gw_token_batch_put(const gw_token_batch *batch, const int32_t *tokens, int64_t count);
// Appends a window. *full is set, and nothing is appended, where it does not fit beside those already there.
gw_status gw_token_batch_add(gw_token_batch *batch, const char *bases, int64_t length, bool *full) GW_MUST_CHECK;
// Appends tokens as a sequence, at most positions less those of the frame; false where it does not fit.
bool gw_token_batch_add_tokens(gw_token_batch *batch, const int32_t *tokens, int64_t count);

#endif
