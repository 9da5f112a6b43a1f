// SPDX-License-Identifier: MIT
// A step of training: the gradient of the mean losses of its examples, whatever they are and whatever the batches that
// memory cuts the step into.
#ifndef GW_RUN_STEP_H
#define GW_RUN_STEP_H

#include "network/examples.h"

// A network over the examples whose steps it runs. Model and examples outlive it.
typedef struct {
    const gw_examples *examples;
    gw_network *network;
} gw_steps;

// What a step's batches add up to.
typedef struct {
    gw_losses losses;
    int64_t labels[GW_BATCH_ROWS]; // of the examples, by row set
    int64_t tokens;                // rows of the caller's streams
} gw_step_sums;

// Of `options` what depends on the examples is set here: rooms, and the sequences of a step. Free it, also on failure.
gw_status gw_steps_make(gw_steps *step, gw_model *model, const gw_examples *examples,
                        gw_network_options options) GW_MUST_CHECK;
void gw_steps_free(gw_steps *step); // zeros are fine

// Adds the gradient of the sum over row sets of the mean loss of their labels in step `number` (0, 1, ...) to
// gw_network_gradient(). A step without labels computes nothing.
gw_status gw_step_gradient(gw_steps *step, int64_t number, gw_step_sums *sums) GW_MUST_CHECK;
// The losses alone.
gw_status gw_step_losses(gw_steps *step, int64_t number, gw_step_sums *sums) GW_MUST_CHECK;
double gw_step_mean(const gw_step_sums *sums); // the sum of the means; 0 without labels

#endif
