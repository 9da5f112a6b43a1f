// SPDX-License-Identifier: MIT
// Token shards as the batches of every pretraining step.
//
// Example number g of a run (g = 0, 1, ...) belongs to epoch g / chunks; its chunk stands at position g mod chunks of
// that epoch's order, and its sentence pair and masks are drawn anew in every epoch. Step s takes examples [s b, (s +
// 1) b): nothing has to be saved for resuming.
#ifndef GW_RUN_PRETRAIN_DATA_H
#define GW_RUN_PRETRAIN_DATA_H

#include "base/status.h"
#include "data/batch.h"
#include "model/network.h"
#include "text/tokenizer.h"

#include <stdint.h>

typedef struct {
    const char *const *prefixes; // [count] of shards that share a vocabulary
    int count;
    int64_t length;          // tokens of a sequence, special tokens included
    int64_t tokens_per_step; // roughly: whole examples of mean length
    double mask_rate;
    uint64_t seed;
} gw_pretrain_data_options;

typedef struct {
    gw_batch *batches; // [count] small enough for one pass of the network
    int64_t count, capacity;
    int64_t masked, pairs, tokens; // of all of them
} gw_pretrain_step;

typedef struct gw_pretrain_data gw_pretrain_data;
gw_status gw_pretrain_data_open(const gw_pretrain_data_options *options, gw_pretrain_data **out) GW_MUST_CHECK;
void gw_pretrain_data_close(gw_pretrain_data *data);

// PREFIX.tokenizer.json of the first prefix; the others hold the same tokens.
const gw_tokenizer *gw_pretrain_data_tokenizer(const gw_pretrain_data *data);
double gw_pretrain_data_mean_bases(const gw_pretrain_data *data);  // a token, over a sample of the sentences
const char *gw_pretrain_data_digest(const gw_pretrain_data *data); // MD5 of sizes and of a sample of the sentences
int64_t gw_pretrain_data_chunks(const gw_pretrain_data *data);     // examples of an epoch
int64_t gw_pretrain_data_examples(const gw_pretrain_data *data);   // of a step
// Room that a network needs for any batch.
void gw_pretrain_data_room(const gw_pretrain_data *data, gw_network_options *network);

// The batches of a step; they belong to `data` and stay until the next call.
gw_status gw_pretrain_data_step(gw_pretrain_data *data, int64_t step, const gw_pretrain_step **out) GW_MUST_CHECK;

// Where a model's network reads examples; without special tokens.
extern const gw_example_format gw_pretrain_format;

#endif
