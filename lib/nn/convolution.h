// SPDX-License-Identifier: MIT
// Convolution along the sequences of a stream, as a plan entry.
#ifndef GW_NN_CONVOLUTION_H
#define GW_NN_CONVOLUTION_H

#include "nn/plan.h"
#include "nn/row_set.h"

// y[r] = b + sum over taps t of W_t x[r + (t - (taps - 1) / 2) dilation]. Rows beyond the ends of r's sequence are
// zeros. Output o of group g reads the in / groups values of this group.
typedef struct {
    gw_weight weight; // [taps][width][in / groups]
    gw_weight bias;   // [width]; value NULL: no bias
    int taps;         // odd
    int dilation, groups;
    gw_precision precision; // of the products; narrow groups always use f32
} gw_convolution;
// `in` must belong to a stream.
gw_tensor gw_plan_convolution(gw_plan *plan, gw_tensor in, gw_convolution convolution, int64_t width);
// reach: rows on either side on which a row of the result depends. reads: the rows of [0, rows) that the rows of `set`
// read.
int64_t gw_convolution_step_reach(const gw_step *step);
gw_status gw_convolution_step_reads(const gw_step *step, const gw_row_set *set, int64_t rows,
                                    gw_row_set *out) GW_MUST_CHECK;
double gw_convolution_step_products(const gw_step *step); // products per row

// Pooling and upsampling between a stream and a coarser stream of the same sequences, as plan entries. A sequence of n
// rows has ceil(n / factor) coarser rows (gw_rows_coarsen() of base/batch.h).

// The coarser stream may also be a row set with one row for each sequence. A window is then a whole sequence, and the
// factor is ignored.
//
// The largest value, the mean or the sum of each `factor` rows of a sequence. A shorter last window uses the rows that
// it has.
gw_tensor gw_plan_pool(gw_plan *plan, gw_tensor in, int coarser_stream, gw_pool how, int factor);
// The sum of each `factor` rows, each column weighted by the softmax of the logits. `logit` has the rows and the width
// of `in`.
gw_tensor gw_plan_softmax_pool(gw_plan *plan, gw_tensor in, gw_tensor logit, int coarser_stream, int factor);
// Each row `factor` times, up to the length of the finer sequence. For a skip connection call gw_plan_sum() afterwards.
gw_tensor gw_plan_unpool(gw_plan *plan, gw_tensor in, int finer_stream, int factor);
int gw_pool_step_factor(const gw_step *step); // of all three steps

#endif
