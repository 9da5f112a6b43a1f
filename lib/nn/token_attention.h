// SPDX-License-Identifier: MIT
// What steps of attention over token graphs have in common, whoever makes the graphs.
#ifndef GW_NN_TOKEN_ATTENTION_H
#define GW_NN_TOKEN_ATTENTION_H

#include "nn/plan.h"

// Of a step whose inputs begin with query, key and value: these, its output, their gradients, and ln of each row's sum,
// which is kept. Sequences, graphs and scale are the caller's to set; no edge is fixed.
gw_token_attention_args gw_token_attention_of(const gw_run *run, const gw_step *step, int heads);

#endif
