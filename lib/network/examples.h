// SPDX-License-Identifier: MIT
// Training examples of a network: labelled windows, texts, pairs, chunks of shards, windows of genomes.
//
// Example i of a step is a pure function of the source's seed, the step and i. A step may therefore be cut into any
// batches and ranges of examples, and resuming needs no saved state.
#ifndef GW_NETWORK_EXAMPLES_H
#define GW_NETWORK_EXAMPLES_H

#include "network/network.h"

typedef struct {
    void *self;
    gw_batch *batch;             // add() appends to it; owned by the source
    gw_network_options limits;   // capacities that a network needs for any batch: tokens, sequences, masked, targets
    int64_t sequences;           // in a full step
    float weight[GW_BATCH_ROWS]; // of a row set's mean loss in the loss of a step; 0: 1
    int64_t (*count)(const void *self, int64_t step); // number of examples of a step
    // Appends example i of a step. Sets *full (false beforehand) if the example does not fit into the batch.
    gw_status (*add)(void *self, int64_t step, int64_t i, bool *full);
    // Adds the number of labels of example i in each row set r to labels[r]. The batch stays unchanged.
    gw_status (*labels)(void *self, int64_t step, int64_t i, int64_t *labels);
    void (*free)(void *self);
} gw_examples;

// Makes a source with the functions of `kind`. Its batches have the capacities of `limits`.
gw_examples gw_examples_of(const gw_examples *kind, void *self, gw_batch *batch, gw_network_options limits,
                           int64_t sequences);
// Returns `status`, the result of making the source. After a failure the source is freed.
gw_status gw_examples_made(gw_examples *examples, gw_status status) GW_MUST_CHECK;

// Empties the batch, and appends examples *next, *next + stride, ... before `end` as long as they fit. *next becomes
// the first example that was not added. An example that does not fit into an empty batch is an error that names the
// example.
gw_status gw_examples_fill(const gw_examples *examples, int64_t step, int64_t *next, int64_t end,
                           int64_t stride) GW_MUST_CHECK;
void gw_examples_free(gw_examples *examples); // zeros are fine

#endif
