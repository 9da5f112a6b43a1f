// SPDX-License-Identifier: MIT
// Pooling and upsampling between a stream and a coarser one of the same sequences, as plan entries: a sequence of n
// rows has ceil(n / factor) coarser ones (gw_rows_coarsen() of base/batch.h).
#ifndef GW_NN_POOL_H
#define GW_NN_POOL_H

#include "nn/plan.h"

// A row set with a row for each sequence may stand for the coarser stream: then a window is a sequence, whatever the
// factor.
//
// The largest value, the mean or the sum of each `factor` rows of a sequence; a shorter last window counts the rows
// that it has.
gw_tensor gw_plan_pool(gw_plan *plan, gw_tensor in, int coarser_stream, gw_pool how, int factor);
// Each row `factor` times, as far as the finer sequence reaches. With a skip connection: gw_plan_sum() after it.
gw_tensor gw_plan_unpool(gw_plan *plan, gw_tensor in, int finer_stream, int factor);
int gw_pool_step_factor(const gw_step *step); // of either
// A row for each sequence of the stream, of the row set `out`: the sum of its rows by the softmax of scale * score,
// where score has a number for each row.
gw_tensor gw_plan_attention_pool(gw_plan *plan, gw_tensor in, gw_tensor score, int out, double scale);

#endif
