// SPDX-License-Identifier: MIT
// What two sequences' rows are to each other, of towers that read one each.
#ifndef GW_NN_PAIR_FEATURES_H
#define GW_NN_PAIR_FEATURES_H

#include "nn/plan.h"

// in: rows two by two, x0 and x1 -> a row of the set `pairs` for both, [x0, x1, x0 x1, x0 - x1].
gw_tensor gw_plan_pair_features(gw_plan *plan, gw_tensor in, int pairs);

#endif
