// SPDX-License-Identifier: MIT
// Inputs of models for evaluation and prediction, and how models run on them.
#ifndef GW_TASK_INPUT_H
#define GW_TASK_INPUT_H

#include "language/text_set.h"
#include "network/label_predictor.h"

typedef struct {
    gw_string_list models; // their folders, in the order of the models
    gw_string_list sets;   // labelled sets (gw_labelled_set_open()), tables of texts, question sets; or none
    const char *fasta;     // a genome, or the genome of sets of regions; or NULL
    const char *output;    // table to write; NULL: standard output
    gw_strands strands;    // strands on which windows are read
    int64_t tokens;        // of a batch; 0: the default
    gw_text_options texts; // labels: from the model; most 0: the model's positions
    const char *preset;    // a known set of texts, which gives the columns (text_presets.h); NULL: none
    // For question sets: a question gets no answer if the logit of no answer exceeds that of the best answer by this
    // threshold. Without a given threshold it is 0 if the set allows questions without an answer; otherwise every
    // question gets an answer.
    bool threshold_given;
    double no_answer_threshold;
    double support; // HotpotQA: a sentence with a logit above it is a supporting fact
} gw_task_input;

#endif
