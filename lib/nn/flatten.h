// SPDX-License-Identifier: MIT
// A linear layer over all rows of a sequence end to end, as a plan entry: what the first dense layer of a plain CNN
// does with the last feature map.
#ifndef GW_NN_FLATTEN_H
#define GW_NN_FLATTEN_H

#include "nn/plan.h"

// in [rows of a stream][W] -> [sequences][width], of the row set `out`, which has a row for each sequence:
// out_s = sum over the rows r of sequence s of weight[.][r W ... (r + 1) W - 1] in_r. The weight is [width][places W];
// a sequence has at most `places` rows, and those that it lacks are zeros.
gw_tensor gw_plan_flatten(gw_plan *plan, gw_tensor in, gw_weight weight, int64_t places, int out, int64_t width);

#endif
