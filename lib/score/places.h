// SPDX-License-Identifier: MIT
// What a model of tracks predicts at the places of a file, such as the peaks of a cell type.
#ifndef GW_SCORE_PLACES_H
#define GW_SCORE_PLACES_H

#include "score/activity.h"
#include "score/track_scorer.h"

// Of a BED or narrowPeak file: a row stands for its summit (column 10 of narrowPeak), or without one for its middle,
// floor((begin + end) / 2), which has the place of a variant in its window. Rows whose window leaves the contig, or on
// contigs that the genome lacks, are left out with a note. Free it, also on failure.
gw_status gw_predict_places(gw_track_scorer *scorer, gw_genome *genome, const char *path,
                            gw_activity *out) GW_MUST_CHECK;

#endif
