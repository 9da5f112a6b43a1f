// SPDX-License-Identifier: MIT
// Predictions of a track model at the places of a file, such as the peaks of a cell type.
#ifndef GW_SCORE_PLACES_H
#define GW_SCORE_PLACES_H

#include "score/activity.h"
#include "score/track_scorer.h"

// Reads a BED or narrowPeak file. The place of a row is its summit (column 10 of narrowPeak), or else its middle,
// floor((begin + end) / 2). It has the position of a variant in its window. Rows with windows beyond the contig, or on
// contigs that the genome lacks, are skipped with a note. Free `out`, also after a failure.
gw_status gw_predict_places(gw_track_scorer *scorer, gw_genome *genome, const char *path,
                            gw_activity *out) GW_MUST_CHECK;

#endif
