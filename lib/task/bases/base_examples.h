// SPDX-License-Identifier: MIT
// Windows of labelled bases as examples of training: a flank on either side is read and not labelled.
#ifndef GW_TASK_BASES_BASE_EXAMPLES_H
#define GW_TASK_BASES_BASE_EXAMPLES_H

#include "data/shuffle.h"
#include "network/examples.h"
#include "task/bases/base_set.h"

typedef struct {
    gw_epochs order;
    int64_t tokens; // of a batch; at least those of the longest window are taken
    int64_t flank;  // bp
    int64_t shift;  // bp: windows lie up to as far from where the set has them, drawn anew every epoch
} gw_base_examples_options;

// Borrows model and set.
gw_status gw_base_examples_open(const gw_model *model, const gw_base_set *set, const gw_base_examples_options *options,
                                gw_examples *out) GW_MUST_CHECK;

#endif
