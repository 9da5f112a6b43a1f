// SPDX-License-Identifier: MIT
// A step of training: the gradient of the mean losses of its examples, whatever they are, whatever the batches that
// memory cuts the step into, and however many ranks share it.
//
// Group g of G holds the examples g, g + G, ... of a step, and is cut into batches by itself; each rank computes a run
// of groups, whose gradients are summed in an order that G alone decides (group_sum.h): G says the bits, not the ranks.
#ifndef GW_RUN_STEP_H
#define GW_RUN_STEP_H

#include "base/json.h"
#include "network/examples.h"
#include "network/network.h"
#include "run/group_sum.h"

// A network over the examples whose steps it runs. Model and examples outlive it.
typedef struct {
    const gw_examples *examples;
    gw_network *network;
    const gw_parameters *parameters; // the model's
    int64_t groups;                  // of gw_step_gradient(); 0: the step as a whole, on one rank
    gw_group_sum sum;                // of the gradient, where there are groups
    gw_overlap overlap;              // of its pieces
    gw_status ready;                 // of what the host has read of them
    float *staged; // [parameters.floats] the gradient on the host, where the device has its own memory
    double *few;   // [own groups][few_count] what else groups add up
    int64_t few_count;
    bool library; // the transport sums the gradients
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
// The gradient of each step is that of `groups` groups (0: one for each rank), shared by all ranks; one group on one
// rank is the step as a whole. Fewer groups than ranks are an error. With `library` the sum over ranks is the
// transport's own, of a group for each rank: its bits may change with their number. All ranks call it.
gw_status gw_steps_share(gw_steps *step, int64_t groups, bool library) GW_MUST_CHECK;
void gw_steps_print(const gw_steps *step, gw_string *out); // what a run's fingerprint says of that
// Into a row of metrics, of several ranks: the seconds that the sum over ranks took in the last step, and those of them
// that its computation had to wait for.
void gw_steps_add_metrics(const gw_steps *step, json_t *row);

// Adds the gradient of the sum over row sets of the mean loss of their labels in step `number` (0, 1, ...) to
// gw_network_gradient(), which is zero before. A step without labels computes nothing. Of shared steps the sums are
// those of all ranks, and so is a failure; without them this rank computes alone. Pieces of the gradient are summed
// while the backward pass of this rank's last group, in its last batch, makes the others (run/group_sum.h).
gw_status gw_step_gradient(gw_steps *step, int64_t number, gw_step_sums *sums) GW_MUST_CHECK;
// The losses alone, by this rank.
gw_status gw_step_losses(gw_steps *step, int64_t number, gw_step_sums *sums) GW_MUST_CHECK;
double gw_step_mean(const gw_step_sums *sums); // the sum of the means; 0 without labels

// Losses of pretraining as a line of metrics says them.

double gw_mean(double sum, int64_t count); // 0 of nothing
// Sets means under names that begin with `prefix`: mlm_loss, mlm_bits (the same to base 2), mlm_accuracy and, where
// there were pairs, nsp_loss and nsp_accuracy, and where encodings were predicted contrast_loss and contrast_accuracy.
// Returns the sum of the former two losses.
double gw_losses_report(const gw_losses *sum, const char *prefix, json_t *row);

#endif
