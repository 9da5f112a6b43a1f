// SPDX-License-Identifier: MIT
// Settings of every fine-tuning run, whatever its labels are: the model, the sets, how it is trained, the files.
#ifndef GW_TASK_TUNING_H
#define GW_TASK_TUNING_H

#include "base/string.h"
#include "data/shuffle.h"
#include "model/config.h"
#include "network/network.h"
#include "run/trainer.h"

typedef struct {
    // A model folder, or a fresh model of this config with this vocabulary.
    const char *model;
    // Mode of the model's attention (gw_config_use_mode), kept in the folder, and the one where that is NULL and the
    // attention is BigBird's. NULL: its own.
    const char *attention, *usual_attention;
    const gw_config *fresh;
    const char *tokenizer;      // of a fresh one; NULL: single letters
    gw_string_list sets, valid; // no `valid`: no validation, the last weights are kept
    // Training
    int64_t epochs, steps;  // steps > 0 goes before epochs
    int64_t batch;          // examples of an update
    int64_t tokens;         // computed at a time
    int64_t groups;         // of a step's examples (run/step.h); 0: one for each rank
    bool all_reduce;        // gradients are summed by the transport, not in the order of groups
    bool recompute;         // layers run again in the backward pass: less memory, the same bits
    gw_precision precision; // of the products with training (gw_network_options)
    gw_mixer_options mixer;
    double rate;
    gw_schedule_kind schedule;
    int64_t warmup; // steps; -1: the schedule's own
    gw_optimiser_options optimiser;
    double dropout;       // -1: the model's
    double average_decay; // of an exponential moving average of the weights, which makes the model; 0: none
    int64_t patience;     // epochs without a better one before the run stops; 0: it goes on to its end
    uint64_t seed;
    // Files
    const char *command;     // kept in the model folder; or NULL
    const char *output;      // model folder; holds metrics.jsonl too
    const char *checkpoints; // or NULL
    bool checkpoints_pass;   // they are removed once the model is there
    int64_t save_every, report_every;
    bool resume;
} gw_tuning;

// Runs `run` while the output folder and the checkpoints are this run's alone. An existing model is an error, or left
// as it is, with a note, where it is to be resumed; so is, without that, the state of a stopped run in checkpoints that
// pass.
gw_status gw_tuning_run(const gw_tuning *tuning, gw_status (*run)(const void *options),
                        const void *options) GW_MUST_CHECK;

gw_network_options gw_tuning_network(const gw_tuning *tuning);         // of what trains the model
gw_epochs gw_tuning_order(const gw_tuning *tuning, int64_t examples);  // of the set
int64_t gw_tuning_steps(const gw_tuning *tuning, int64_t epoch_steps); // of the run

// Keeps the command in the config of the model that is made.
gw_status gw_tuning_keep_command(const gw_tuning *tuning, gw_config *config) GW_MUST_CHECK;
// Makes the folders and trains for `steps` updates. `fingerprint`: what a resumed run must share, in words.
gw_status gw_tune(const gw_tuning *tuning, int64_t steps, const char *fingerprint, gw_training *training) GW_MUST_CHECK;

#endif
