// SPDX-License-Identifier: MIT
// Windows of bases packed into a batch: [CLS] tokens [SEP] of each, end to end, without padding.
#ifndef GW_TASK_TOKEN_BATCH_H
#define GW_TASK_TOKEN_BATCH_H

#include "base/status.h"
#include "model/network.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_AROUND_TOKENS = 2 }; // [CLS] and [SEP]

typedef struct gw_token_batch gw_token_batch;

// Room for `tokens` tokens (special ones included) and `sequences` sequences, none longer than `positions` tokens.
// Borrows the tokenizer.
gw_status gw_token_batch_new(const gw_tokenizer *tokenizer, int64_t tokens, int64_t sequences, int64_t positions,
                             gw_token_batch **out) GW_MUST_CHECK;
void gw_token_batch_free(gw_token_batch *batch);
void gw_token_batch_clear(gw_token_batch *batch);
// Appends a window. *full is set, and nothing is appended, where it does not fit beside those already there. One of
// more tokens than the positions hold is an error: it is never truncated.
gw_status gw_token_batch_add(gw_token_batch *batch, const char *bases, int64_t length, bool *full) GW_MUST_CHECK;
// Appends tokens as a sequence, at most positions - GW_AROUND_TOKENS of them; false where it does not fit.
bool gw_token_batch_add_tokens(gw_token_batch *batch, const int32_t *tokens, int64_t count);
// Takes the last sequence out again.
void gw_token_batch_drop(gw_token_batch *batch);
int gw_token_batch_sequences(const gw_token_batch *batch);
int64_t gw_token_batch_tokens(const gw_token_batch *batch);
// Fills sequences, start and token of `view`, which borrows them until the next add or clear; the rest is left alone.
void gw_token_batch_view(const gw_token_batch *batch, gw_batch *view);

#endif
