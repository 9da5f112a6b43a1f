// SPDX-License-Identifier: MIT
// A training step: the gradient of the mean losses of its examples. The result does not depend on the kind of examples,
// on the batches into which memory divides the step, or on the number of ranks.
//
// Group g of G holds the examples g, g + G, ... of a step, in its own batches. Each rank computes consecutive groups.
// Their gradients are summed in an order that depends only on G (group_sum.h).
#ifndef GW_RUN_STEP_H
#define GW_RUN_STEP_H

#include "base/json.h"
#include "network/examples.h"
#include "network/network.h"
#include "run/group_sum.h"

// A network with the examples of its steps. Model and examples must outlive it.
typedef struct {
    const gw_examples *examples;
    gw_network *network;
    const gw_parameters *parameters; // the model's
    int64_t groups;                  // of gw_step_gradient(); 0: the whole step on one rank
    gw_group_sum sum;                // of the gradient, with groups
    gw_overlap overlap;              // of the pieces of the gradient
    gw_status ready;                 // status of reading these on the host
    float *staged;                   // [parameters.floats] the gradient on the host, if the device has its own memory
    double *few;                     // [own groups][few_count] other sums of the groups
    int64_t few_count;
    bool library;             // the transport sums the gradients
    struct {                  // a step that this rank computes alone
        bool is_ready;        // its labels are counted, and its first batch is full
        int64_t number, next; // next: the first example behind this batch
        int64_t labels[GW_BATCH_ROWS];
    } prepared;
} gw_steps;

// Sums over the batches of a step.
typedef struct {
    gw_losses losses;
    int64_t labels[GW_BATCH_ROWS]; // of the examples, by row set
    int64_t tokens;                // rows of the caller's streams
} gw_step_sums;

// Overrides `options` that depend on the examples: capacities, and the sequences of a step. Free `step`, also after a
// failure.
gw_status gw_steps_make(gw_steps *step, gw_model *model, const gw_examples *examples,
                        gw_network_options options) GW_MUST_CHECK;
void gw_steps_free(gw_steps *step); // zeros are fine
// Shares each step among all ranks, in `groups` groups (0: one for each rank). One group on one rank is the whole step.
// Fewer groups than ranks are an error. With `library` the transport sums over the ranks, with one group for each rank;
// the bits may then depend on the number of ranks. All ranks must call this.
gw_status gw_steps_share(gw_steps *step, int64_t groups, bool library) GW_MUST_CHECK;
void gw_steps_print(const gw_steps *step, gw_string *out); // appends the settings to a run's fingerprint
// Adds to a row of metrics, with several ranks: seconds of the sum over ranks in the last step, and seconds that
// computing waited for it.
void gw_steps_add_metrics(const gw_steps *step, json_t *row);

// Adds the gradient of the sum over row sets of the mean loss of their labels, in step `number` (0, 1, ...), to
// gw_network_gradient(), which must be zero before. A step without labels computes nothing. In shared steps, sums and
// failures are those of all ranks; otherwise this rank computes alone. Pieces of the gradient are summed during the
// backward pass of the last batch of this rank's last group (run/group_sum.h).
gw_status gw_step_gradient(gw_steps *step, int64_t number, gw_step_sums *sums) GW_MUST_CHECK;
// Counts the labels of step `number` and fills its first batch, while a device computes the step before: the gradient
// of this step then begins at once. Nothing else may use the examples until then. If it fails, the gradient tries
// again, and fails. In shared steps it does nothing.
void gw_steps_prepare(gw_steps *step, int64_t number);
// Only the losses, on this rank.
gw_status gw_step_losses(gw_steps *step, int64_t number, gw_step_sums *sums) GW_MUST_CHECK;
double gw_step_mean(const gw_step_sums *sums); // sum of the means; 0 without labels

// Losses of pretraining for a row of metrics.

double gw_mean(double sum, int64_t count); // 0 if count is 0
// Sets means under names that begin with `prefix`: mlm_loss, mlm_bits (the same to base 2), mlm_accuracy; with pairs
// nsp_loss and nsp_accuracy; with predicted encodings contrast_loss and contrast_accuracy. Returns the sum of mlm_loss
// and nsp_loss.
double gw_losses_report(const gw_losses *sum, const char *prefix, json_t *row);

#endif
