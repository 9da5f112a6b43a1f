// SPDX-License-Identifier: MIT
// The predictions of a track model at places of a genome, such as the peaks of a cell type. The signal of an allele has
// a quantile among them. The active allele quantile (Pampari et al., 2024) is the share of places with less signal than
// the stronger of REF and ALT.
//
// The predictions are part of a background's file (score/background.h). There is one row for each track: index, name,
// mean and standard deviation of the signal, and the signals as "signal:places", ascending, joined by commas.
#ifndef GW_SCORE_ACTIVITY_H
#define GW_SCORE_ACTIVITY_H

#include "file/lines.h"
#include "model/config.h"

// Quantiles need at least this number of places.
enum { GW_ACTIVITY_LEAST = 100 };

typedef struct {
    int64_t tracks, places;
    float *signals; // [tracks][places], ascending
} gw_activity;

void gw_activity_free(gw_activity *activity); // zeros are fine

gw_status gw_activity_make(int64_t tracks, int64_t places, gw_activity *out) GW_MUST_CHECK;
void gw_activity_sort(gw_activity *activity); // call this once all signals are set

// Share of the places with less signal than `signal` in a track; NaN with fewer than GW_ACTIVITY_LEAST places.
double gw_activity_quantile(const gw_activity *activity, int64_t track, float signal);

gw_status gw_activity_write(const gw_activity *activity, const gw_config *config, gw_text_writer *out) GW_MUST_CHECK;
// Reads the rows of `places` places. Free `out`, also after a failure.
gw_status gw_activity_read(gw_line_reader *in, const gw_config *config, int64_t places, gw_activity *out) GW_MUST_CHECK;

#endif
