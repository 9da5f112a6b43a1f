// SPDX-License-Identifier: MIT
// What a network reads, example by example: labelled windows, texts, pairs, chunks of shards, windows of genomes.
//
// Example i of a step is a pure function of the source's seed, the step and i, so that a step may be cut into batches
// and into ranges of examples anywhere, and nothing has to be saved for resuming.
#ifndef GW_NETWORK_EXAMPLES_H
#define GW_NETWORK_EXAMPLES_H

#include "network/network.h"

typedef struct {
    void *self;
    gw_batch *batch;             // where add() appends; of the source
    gw_network_options limits;   // what a network needs for any batch: tokens, sequences, masked, targets
    int64_t sequences;           // of a full step
    float weight[GW_BATCH_ROWS]; // of a row set's mean loss in a step's; 0: 1
    int64_t (*count)(const void *self, int64_t step); // examples of a step
    // Appends example i of a step. *full (false beforehand): it does not fit beside those that are there.
    gw_status (*add)(void *self, int64_t step, int64_t i, bool *full);
    // Adds to labels[r] how many labels example i has in the row set r. The batch stays as it is.
    gw_status (*labels)(void *self, int64_t step, int64_t i, int64_t *labels);
    void (*free)(void *self);
} gw_examples;

// A source with the functions of `kind`, whose batches hold `limits`.
gw_examples gw_examples_of(const gw_examples *kind, void *self, gw_batch *batch, gw_network_options limits,
                           int64_t sequences);
// Passes `status` on, which is that of making the source: after a failure it is freed.
gw_status gw_examples_made(gw_examples *examples, gw_status status) GW_MUST_CHECK;

// Fills the batch, which is emptied first, with the examples *next, *next + stride, ... before `end` that fit, and
// moves *next behind them. One that does not fit an empty batch is an error that names it.
gw_status gw_examples_fill(const gw_examples *examples, int64_t step, int64_t *next, int64_t end,
                           int64_t stride) GW_MUST_CHECK;
void gw_examples_free(gw_examples *examples); // zeros are fine

#endif
