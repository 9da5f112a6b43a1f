// SPDX-License-Identifier: MIT
// What a model of tracks predicts at places of a genome, such as the peaks of a cell type: the signal of an allele has
// its quantile among these. The active allele quantile (Pampari et al., 2024) is the share of the places with less
// signal than the stronger of REF and ALT.
//
// A part of a background's file (score/background.h): a row for each track, with its index and name, mean and standard
// deviation of its signal, and the signals as "signal:places", ascending, joined by commas.
#ifndef GW_SCORE_ACTIVITY_H
#define GW_SCORE_ACTIVITY_H

#include "file/lines.h"
#include "model/config.h"

// Of fewer places nothing can be said.
enum { GW_ACTIVITY_LEAST = 100 };

typedef struct {
    int64_t tracks, places;
    float *signals; // [tracks][places], ascending
} gw_activity;

void gw_activity_free(gw_activity *activity); // zeros are fine

gw_status gw_activity_make(int64_t tracks, int64_t places, gw_activity *out) GW_MUST_CHECK;
void gw_activity_sort(gw_activity *activity); // once its signals are there

// Share of the places with less signal than `signal` has in a track; NaN of fewer than GW_ACTIVITY_LEAST places.
double gw_activity_quantile(const gw_activity *activity, int64_t track, float signal);

gw_status gw_activity_write(const gw_activity *activity, const gw_config *config, gw_text_writer *out) GW_MUST_CHECK;
// Reads the rows of so many places. Free it, also on failure.
gw_status gw_activity_read(gw_line_reader *in, const gw_config *config, int64_t places, gw_activity *out) GW_MUST_CHECK;

#endif
