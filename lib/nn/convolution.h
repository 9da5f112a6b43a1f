// SPDX-License-Identifier: MIT
// Convolution along the sequences of a stream, as a plan entry.
#ifndef GW_NN_CONVOLUTION_H
#define GW_NN_CONVOLUTION_H

#include "nn/plan.h"
#include "nn/row_set.h"

// y[r] = b + sum over taps t of W_t x[r + (t - (taps - 1) / 2) dilation], where rows beyond the ends of r's sequence
// are zeros. Output o of group g reads the in / groups values of that group.
typedef struct {
    gw_weight weight; // [taps][width][in / groups]
    gw_weight bias;   // [width]; value NULL: none
    int taps;         // odd
    int dilation, groups;
    gw_precision precision; // of the products; narrow groups' are of f32 all the same
} gw_convolution;
// `in` belongs to a stream.
gw_tensor gw_plan_convolution(gw_plan *plan, gw_tensor in, gw_convolution convolution, int64_t width);
// Rows on either side that a row of the step's result depends on; which rows, of [0, rows), the set's rows read.
int64_t gw_convolution_step_reach(const gw_step *step);
gw_status gw_convolution_step_reads(const gw_step *step, const gw_row_set *set, int64_t rows,
                                    gw_row_set *out) GW_MUST_CHECK;
double gw_convolution_step_products(const gw_step *step); // of a row

// Pooling and upsampling between a stream and a coarser one of the same sequences, as plan entries: a sequence of n
// rows has ceil(n / factor) coarser ones (gw_rows_coarsen() of base/batch.h).

// A row set with a row for each sequence may stand for the coarser stream: then a window is a sequence, whatever the
// factor.
//
// The largest value, the mean or the sum of each `factor` rows of a sequence; a shorter last window counts the rows
// that it has.
gw_tensor gw_plan_pool(gw_plan *plan, gw_tensor in, int coarser_stream, gw_pool how, int factor);
// Each column of `factor` rows summed by the softmax of the logits, which have the rows and the width of `in`.
gw_tensor gw_plan_softmax_pool(gw_plan *plan, gw_tensor in, gw_tensor logit, int coarser_stream, int factor);
// Each row `factor` times, as far as the finer sequence reaches. With a skip connection: gw_plan_sum() after it.
gw_tensor gw_plan_unpool(gw_plan *plan, gw_tensor in, int finer_stream, int factor);
int gw_pool_step_factor(const gw_step *step); // of any of the three

#endif
