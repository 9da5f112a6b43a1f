// SPDX-License-Identifier: MIT
// Functions that steps of attention over block graphs share, and linear attention.
#ifndef GW_NN_ATTENTION_H
#define GW_NN_ATTENTION_H

#include "nn/plan.h"
#include "nn/row_set.h"

// The arguments of a step with inputs query, key, value: these tensors, the output, all gradients, and the logarithm of
// each row's sum, which is saved. Products are of f32. The caller sets the sequences and the block.
gw_attention_args gw_attention_of(const gw_run *run, const gw_step *step, int heads);

// Attention of single query blocks, for a run of one sequence that attends to itself. Sets `out` to the rows of all
// blocks that contain one of `rows`, or that read a key block containing one of them. *keys: keys that a row reads, on
// average.
gw_status gw_attention_reached(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out,
                               double *keys) GW_MUST_CHECK;
// blocks: the rows of the blocks that contain one of `rows`. listed: the rows of all key blocks that these blocks read.
gw_status gw_attention_blocks(const gw_run *run, const gw_step *step, const gw_row_set *rows,
                              gw_row_set *out) GW_MUST_CHECK;
gw_status gw_attention_listed(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out,
                              double *keys) GW_MUST_CHECK;
// Computes the rows of whole blocks. query and out [rows][width] hold these rows end to end; keys and values are those
// of the run.
gw_status gw_attention_some(const gw_run *run, const gw_step *step, const gw_row_set *rows, const float *query,
                            float *out) GW_MUST_CHECK;

// Pairs of a query and a key that a step of attention over block graphs multiplies in one head: of as many rows as its
// tensors may have, in as many sequences of one length, in the mean of the heads. Blocks count whole.
gw_status gw_attention_pairs(const gw_plan *plan, const gw_step *step, double *pairs) GW_MUST_CHECK;

// Attention in time linear in the rows. Weights are products of non-negative features (Katharopoulos et al., 2020).

// Each row of a stream reads the rows of its sequence; causal: only rows up to itself. query and key [rows][heads
// features], value [rows][heads D]
gw_tensor gw_plan_linear_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads,
                                   bool causal);

#endif
