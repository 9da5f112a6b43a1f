// SPDX-License-Identifier: MIT
// What pretraining reads: token shards (pretrain_data.h) or genomes (pretrain_genome.h), as examples.
#ifndef GW_TASK_MASKED_PRETRAIN_SOURCE_H
#define GW_TASK_MASKED_PRETRAIN_SOURCE_H

#include "network/examples.h"
#include "text/tokenizer.h"

typedef struct {
    gw_examples examples; // as many in every step
    const gw_tokenizer *tokenizer;
    double mean_bases;  // a token; 0: unknown
    char digest[33];    // MD5 of what is read
    int64_t epoch;      // examples of an epoch
    double mean_tokens; // of an example, special tokens included
} gw_pretrain_source;

// Tokens of a batch, where a sequence is no longer.
enum { GW_PRETRAIN_PASS_TOKENS = 8192 };

#endif
