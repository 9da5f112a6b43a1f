// SPDX-License-Identifier: MIT
// Windows of a labelled set as examples of training.
#ifndef GW_TASK_WINDOWS_LABEL_EXAMPLES_H
#define GW_TASK_WINDOWS_LABEL_EXAMPLES_H

#include "data/shuffle.h"
#include "label/labelled_set.h"
#include "network/examples.h"

typedef struct {
    gw_epochs order;
    int64_t tokens;         // of a batch; at least the model's positions are taken
    bool reverse_at_random; // half of the examples, drawn anew every epoch, are reverse complemented
    int64_t shift;          // bp: windows lie -shift to shift further on, drawn anew every epoch
} gw_label_examples_options;

// Borrows model and set.
gw_status gw_label_examples_open(const gw_model *model, gw_labelled_set *set, const gw_label_examples_options *options,
                                 gw_examples *out) GW_MUST_CHECK;
// What the frequencies of the labels in the whole set, as probabilities, lose on a step's examples.
double gw_label_examples_chance(const gw_examples *examples, int64_t step);

#endif
