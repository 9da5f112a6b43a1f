// SPDX-License-Identifier: MIT
// The tokenizer beside token shards.
#ifndef GW_TASK_MASKED_SHARD_TOKENIZER_H
#define GW_TASK_MASKED_SHARD_TOKENIZER_H

#include "base/status.h"
#include "text/tokenizer.h"

// Reads PREFIX.tokenizer.json. Where `expected` is not NULL, another vocabulary is an error.
gw_status gw_shard_tokenizer(const char *prefix, const gw_tokenizer *expected, gw_tokenizer **out) GW_MUST_CHECK;

#endif
