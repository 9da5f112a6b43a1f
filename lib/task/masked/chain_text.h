// SPDX-License-Identifier: MIT
// Token shards as the text that Markov chains read: codes of bases (gw_base_code), document by document.
#ifndef GW_TASK_MASKED_CHAIN_TEXT_H
#define GW_TASK_MASKED_CHAIN_TEXT_H

#include "base/status.h"
#include "base/string.h"
#include "data/shards.h"
#include "measure/markov.h"
#include "text/tokenizer.h"

#include <stdint.h>

// Zero-initialise; free with gw_chain_text_free().
typedef struct {
    int32_t *token;
    int64_t *begin; // [tokens + 1] first base of each token
    uint8_t *code;
    int64_t tokens, bases;
    int64_t token_capacity, begin_capacity, code_capacity;
    gw_string letters; // of one token
} gw_chain_text;

gw_status gw_chain_text_read(gw_chain_text *text, const gw_shards *shards, int64_t document,
                             const gw_tokenizer *tokenizer) GW_MUST_CHECK;
void gw_chain_text_free(gw_chain_text *text);

// Chains counted on all documents of the shards with these prefixes, fitted.
gw_status gw_markov_of_shards(const char *const *prefixes, int count, int order, gw_markov **out) GW_MUST_CHECK;

#endif
