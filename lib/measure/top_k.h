// SPDX-License-Identifier: MIT
// Top-k accuracy (Jaganathan et al., 2019): of a class with k true sites the k highest probabilities are called; the
// share of these that are true. Of sites that are as probable as the last one called as many count as are called,
// evenly.
#ifndef GW_MEASURE_TOP_K_H
#define GW_MEASURE_TOP_K_H

#include "base/status.h"

#include <stdint.h>

// label[count]: at least 0.5 is true. *out is NaN where nothing is.
gw_status gw_top_k(const float *probability, const float *label, int64_t count, double *out) GW_MUST_CHECK;

#endif
