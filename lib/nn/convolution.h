// SPDX-License-Identifier: MIT
// Convolution along the sequences of a stream, as a plan entry.
#ifndef GW_NN_CONVOLUTION_H
#define GW_NN_CONVOLUTION_H

#include "nn/plan.h"

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
// Rows on either side that a row of the step's result depends on.
int64_t gw_convolution_step_reach(const gw_step *step);
int gw_convolution_taps(const gw_step *step);
// Of the precision that is asked for, that of products of such widths.
gw_precision gw_convolution_precision(const gw_convolution *convolution, int64_t in_width, int64_t width);

// The same of some of the rows: a row set of the stream or row set of `in`, whose `row`, `tap`, `from` and `to` a batch
// has (base/batch.h). Without training, and of one group. Sums are in another order than above.
gw_tensor gw_plan_convolution_at(gw_plan *plan, gw_tensor in, gw_convolution convolution, int64_t width, int rows);

#endif
