// SPDX-License-Identifier: MIT
// What steps of attention over block graphs have in common, and linear attention.
#ifndef GW_NN_ATTENTION_H
#define GW_NN_ATTENTION_H

#include "nn/plan.h"
#include "nn/row_set.h"

// Of a step whose inputs begin with query, key and value: these, its output, their gradients, and ln of each row's sum,
// which is saved; products of f32. Sequences and the block are the caller's to set.
gw_attention_args gw_attention_of(const gw_run *run, const gw_step *step, int heads);

// Attention of single blocks of queries, of a run of one sequence to itself. The blocks that have one of these rows, or
// list a block of keys that has one: their rows become `out`. *keys: how many a row reads, in the mean of all.
gw_status gw_attention_reached(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out,
                               double *keys) GW_MUST_CHECK;
// The rows of the blocks that have one of the rows; and of all blocks of keys that these list.
gw_status gw_attention_blocks(const gw_run *run, const gw_step *step, const gw_row_set *rows,
                              gw_row_set *out) GW_MUST_CHECK;
gw_status gw_attention_listed(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out,
                              double *keys) GW_MUST_CHECK;
// The rows of such blocks: query and out [rows][width] have them end to end, keys and values are the run's.
gw_status gw_attention_some(const gw_run *run, const gw_step *step, const gw_row_set *rows, const float *query,
                            float *out) GW_MUST_CHECK;

// Attention in time of the rows: weights are products of features that are never negative (Katharopoulos et al., 2020).

// Of a stream's rows, which read those of their sequence, causal: those up to themselves. query and key
// [rows][heads features], value [rows][heads D]
gw_tensor gw_plan_linear_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads,
                                   bool causal);

#endif
