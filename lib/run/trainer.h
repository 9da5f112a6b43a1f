// SPDX-License-Identifier: MIT
// The training loop: gradient, update, metrics and state, for any code that computes a gradient.
//
// Rows of metrics count all computation so far, including that before resuming: total_tokens and seconds. After a few
// steps a note says how long the run will take.
//
// With a checkpoint folder the state (weights, moments, step, record) is saved at intervals and at the end. A resumed
// run continues from the last state bit for bit, because all draws are functions of seed and step.
#ifndef GW_RUN_TRAINER_H
#define GW_RUN_TRAINER_H

#include "base/json.h"
#include "base/status.h"
#include "model/model.h"
#include "run/optimiser.h"
#include "run/state.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_SAVE_SECONDS = 600 };

typedef struct {
    gw_schedule schedule; // includes the number of steps
    gw_optimiser_options optimiser;
    const char *checkpoints; // folder; NULL: nothing is saved
    int64_t save_every;      // steps; 0: only at the end
    double save_seconds;     // saves the state also after this time without a save; 0: not
    bool resume;             // from the checkpoint, if there is one
    const char *metrics;     // JSONL file; NULL: none
    int64_t report_every;    // steps between two rows of metrics
    const char *fingerprint; // settings that a resumed run must share
    double average_decay;    // d of gw_training.average
    int64_t extra_tokens;    // tokens of other work in the whole run, for the estimate of its time
} gw_trainer_options;

typedef struct {
    gw_model *model;
    float *gradient; // [parameters.floats] on the device, zeroed before each step
    void *context;
    // Adds the gradient of step `step` (0, 1, ...), and sets the mean loss and the number of computed tokens. May add
    // to row, the step's row of metrics.
    gw_status (*compute)(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens);
    // Called while a device computes the update before step `step`. It may prepare what compute() will read; what fails
    // here is left to compute(). May be NULL.
    void (*prepare)(void *context, int64_t step);
    // Called after the update that completes `done` steps. Sets *report if row must be written. A call that was
    // interrupted is repeated when the run resumes. May be NULL.
    gw_status (*updated)(void *context, int64_t done, json_t *row, bool *report);
    // Called every save_every steps and at the end, after the state of `done` steps was saved, to write derived files.
    // May be NULL.
    gw_status (*saved)(void *context, int64_t done);
    float *kept;    // [parameters.floats] a further block to save with the state, or NULL
    float *average; // [parameters.floats] exponential moving average of the weights, saved with the state, or NULL: a
                    // += (1 - min(d, (1 + t) / (10 + t))) (w - a) after step t; begins as the weights
    gw_training_record record; // saved with the state; resuming replaces it by the saved record
    const char *bits;   // unit of the displayed loss, such as "bits per base"; the loss is then converted to base 2.
                        // NULL: unchanged
    int64_t resumed_at; // (out) steps done before; all steps if the run was finished
} gw_training;

// Allocates `average` and `kept` if requested, in the model's size. gw_training_free() frees them.
gw_status gw_training_make_blocks(gw_training *training, const gw_model *model, bool average, bool kept) GW_MUST_CHECK;
void gw_training_free(gw_training *training);
// Keeps `weight` (the model's weights or their average after `done` steps) as the best. Adds "kept" to the row of
// metrics.
gw_status gw_training_keep(gw_training *training, const float *weight, double value, int64_t done,
                           json_t *row) GW_MUST_CHECK;

// Exchanges the weights with their average, if there is one, so that the average is validated and kept.
gw_status gw_average_exchange(gw_training *training) GW_MUST_CHECK;

// Trains from the found state, or from step 0, to the end of the schedule. The host has the final weights afterwards.
// An interruption saves the state and is an error; its message says whether the state was saved.
gw_status gw_train(gw_training *training, const gw_trainer_options *options) GW_MUST_CHECK;

#endif
