// SPDX-License-Identifier: MIT
// What pretraining reads: the batches of every step as a pure function of its number, so that nothing has to be saved
// for resuming. Token shards (pretrain_data.h) and genomes (pretrain_genome.h) are sources.
#ifndef GW_RUN_PRETRAIN_SOURCE_H
#define GW_RUN_PRETRAIN_SOURCE_H

#include "base/status.h"
#include "network/network.h"
#include "text/tokenizer.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    gw_batch *batches; // [count] small enough for one pass of the network
    int64_t count, capacity;
    int64_t masked, pairs, tokens; // of all of them; pairs: sentence pairs
} gw_pretrain_step;

typedef struct {
    const gw_tokenizer *tokenizer;
    double mean_bases;       // a token; 0: unknown
    char digest[33];         // MD5 of what is read
    int64_t epoch;           // examples of an epoch
    int64_t examples;        // of a step
    double mean_tokens;      // of an example, special tokens included
    gw_network_options room; // that a network needs for any batch: tokens, sequences, masked
    void *data;              // the source's own
    // The batches of a step; they belong to the source and stay until the next call.
    gw_status (*step)(void *data, int64_t step, const gw_pretrain_step **out);
    void (*close)(void *data);
} gw_pretrain_source;

// Tokens of a batch, where a sequence is no longer.
enum { GW_PRETRAIN_PASS_TOKENS = 8192 };

static inline void gw_pretrain_source_close(gw_pretrain_source *source) {
    if (source->data) source->close(source->data);
    source->data = NULL;
}

#endif
