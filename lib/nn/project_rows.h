// SPDX-License-Identifier: MIT
// A linear layer along a sequence: out = E in, each of a fixed number of rows a sum over the sequence's rows by their
// places (Linformer, Wang et al., 2020).
#ifndef GW_NN_PROJECT_ROWS_H
#define GW_NN_PROJECT_ROWS_H

#include "nn/plan.h"

// in [rows of a stream][width] -> [rows of the stream `out`, K for each of its sequences][width]; weight E [K][places],
// of which a sequence of n rows takes the first n columns.
gw_tensor gw_plan_project_rows(gw_plan *plan, gw_tensor in, gw_weight weight, int64_t places, int out);

#endif
