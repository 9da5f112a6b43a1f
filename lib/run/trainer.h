// SPDX-License-Identifier: MIT
// The one training loop: gradient, update, metrics, state, for whatever computes a gradient.
//
// Lines of metrics have what was computed up to there, also before resuming: total_tokens and seconds. After a few
// steps a note says how long the run will take.
//
// With a checkpoint folder the state (weights, moments, step, record) is saved every so many steps and at the end, and
// a resumed run continues from the last one bit for bit: all draws are functions of seed and step.
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
    gw_schedule schedule; // with the number of steps
    gw_optimiser_options optimiser;
    const char *checkpoints; // folder; NULL: nothing is saved
    int64_t save_every;      // steps; 0: at the end alone
    double save_seconds;     // the state alone also after so long without a save; 0: not
    bool resume;             // from the checkpoint, where there is one
    const char *metrics;     // JSONL file; NULL: none
    int64_t report_every;    // steps between its lines
    const char *fingerprint; // settings that a resumed run must share
    double average_decay;    // d of gw_training.average
    int64_t extra_tokens;    // of other work in the whole run, as if they were trained on, for the time it will take
} gw_trainer_options;

typedef struct {
    gw_model *model;
    float *gradient; // [parameters.floats] of the device, zeroed before each step
    void *context;
    // Adds the gradient of step `step` (0, 1, ...), and sets the mean loss and the tokens computed. May add to row,
    // the step's line of metrics.
    gw_status (*compute)(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens);
    // After the update that makes `done` steps. Sets *report where it added to row what must not be skipped. One that
    // was interrupted is called again when the run is resumed. May be NULL.
    gw_status (*updated)(void *context, int64_t done, json_t *row, bool *report);
    // At every save_every steps and at the end, after the state of `done` steps was saved where there are checkpoints:
    // derives what others read. May be NULL.
    gw_status (*saved)(void *context, int64_t done);
    float *kept;    // [parameters.floats] one more block to save with the state, or NULL
    float *average; // [parameters.floats] exponential moving average of the weights, saved with the state, or NULL:
                    // a += (1 - min(d, (1 + t) / (10 + t))) (w - a) after step t; it begins as the weights
    gw_training_record record; // saved with the state; replaced by the saved one on resuming
    const char *bits;   // what the loss is shown in, such as "bits per base": its logarithms are to base 2 then. NULL:
                        // it is shown as it is
    int64_t resumed_at; // (out) steps done before; all of them where the run was finished
} gw_training;

// Makes `average` and `kept` where they are wanted, of a model's size; gw_training_free() frees them.
gw_status gw_training_make_blocks(gw_training *training, const gw_model *model, bool average, bool kept) GW_MUST_CHECK;
void gw_training_free(gw_training *training);
// Keeps `weight`, of the model or its average after `done` steps, as the best ones; the metrics' row says "kept".
gw_status gw_training_keep(gw_training *training, const float *weight, double value, int64_t done,
                           json_t *row) GW_MUST_CHECK;

// The weights and their average change places, where there is one: what is validated and kept is the average.
gw_status gw_average_exchange(gw_training *training) GW_MUST_CHECK;

// Leaves the weights on the host as on the device. Trains from the state found, or from step 0, to the end of the
// schedule. An interruption saves the state and is an error that says so, or that nothing is saved.
gw_status gw_train(gw_training *training, const gw_trainer_options *options) GW_MUST_CHECK;

#endif
