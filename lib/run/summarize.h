// SPDX-License-Identifier: MIT
// Fine-tuning of a model that writes texts about texts, on pairs of sources and targets (teacher forcing).
#ifndef GW_RUN_SUMMARIZE_H
#define GW_RUN_SUMMARIZE_H

#include "run/optimiser.h"
#include "run/schedule.h"
#include "run/text_pairs.h"

typedef struct {
    // A model folder with a decoder, or a fresh model of this config with this vocabulary.
    const char *model;
    const char *attention; // mode of the model's attention, kept in the folder; NULL: its own
    const gw_config *fresh;
    const char *tokenizer; // of a fresh one; NULL: single letters
    const char *const *files;
    int file_count;
    const char *const *valid;
    int valid_count; // 0: no validation, the last weights are kept
    gw_text_pairs_options pairs;
    // Training
    int64_t epochs, steps;  // steps > 0 goes before epochs
    int64_t batch;          // pairs of an update
    int64_t tokens;         // computed at a time
    bool recompute;         // as in finetune.h
    gw_precision precision; // as there
    double rate;
    gw_schedule_kind schedule;
    int64_t warmup; // steps; -1: the schedule's own
    gw_optimiser_options optimiser;
    double smoothing;     // of labels
    double dropout;       // -1: the model's
    double average_decay; // as there
    int64_t patience;     // epochs without a lower validation loss before the run stops; 0: it goes on to its end
    uint64_t seed;
    const char *command;
    // Files
    const char *output; // model folder; holds metrics.jsonl too
    const char *checkpoints;
    int64_t save_every, report_every;
    bool resume;
} gw_summarize_options;

// With validation the weights of the epoch with the lowest loss (without smoothing) are kept. The folder's
// generation_config.json says what begins and ends a target, and how long the longest of training may be. An existing
// model in `output` is an error, or left as it is where `resume` is set.
gw_status gw_summarize(const gw_summarize_options *options) GW_MUST_CHECK;

#endif
