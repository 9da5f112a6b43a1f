// SPDX-License-Identifier: MIT
// What models are run on, whether they are evaluated or write what they predict, and how.
#ifndef GW_TASK_INPUT_H
#define GW_TASK_INPUT_H

#include "language/text_set.h"
#include "network/label_predictor.h"

typedef struct {
    gw_string_list models; // their folders, in the order of the models
    gw_string_list sets;   // labelled sets (gw_labelled_set_open()), tables of texts, question sets; or none
    const char *fasta;     // a genome, or that of sets of regions; or NULL
    const char *output;    // the table that is written; NULL: standard output
    gw_strands strands;    // that windows are read on
    int64_t tokens;        // of a batch; 0: the default
    gw_text_options texts; // labels: of the model; most 0: the model's positions
    const char *preset;    // a set of texts whose columns are known (text_presets.h); NULL: none
    // Of question sets: a question stays without an answer where no answer is for it by so many logits more than the
    // best one; where no threshold is given by 0 if the set says that there may be none, and never if it does not
    bool threshold_given;
    double no_answer_threshold;
    double support; // of HotpotQA: a sentence is a supporting fact above it, in logits
} gw_task_input;

#endif
