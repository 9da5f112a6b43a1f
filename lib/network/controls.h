// SPDX-License-Identifier: MIT
// Control tracks (n_control_tracks of BPNet's config.json) and their terms in the prediction of profiles.
//
// c_k(i) is the number of reads of a control experiment at base i of track k (seq/track/track.h). Control tracks add
// terms to:
//   logit of a profile's row i and strand s   + sum over k and 75 taps t of w[t][s][k] c_k(i + t - 37)
//   ln(1 + counts)                            + v ln(1 + sum of all c over the profile's rows and 37 more on either
//   side)
// Bases without a value and bases beyond a contig count as 0 and add nothing. Without control tracks all counts are 0.
#ifndef GW_NETWORK_CONTROLS_H
#define GW_NETWORK_CONTROLS_H

#include "base/string.h"
#include "model/model.h"
#include "seq/genome/genome.h"

typedef struct gw_controls gw_controls;

// Opens the tracks. paths: bigWig or bedGraph files, one for each control track of the model, in the order of training.
// No paths: *out is NULL. A track may hold its counts as negative numbers, as tracks of the - strand often do. A track
// with both signs is an error. A track without values on a contig gives a warning. Borrows all arguments.
gw_status gw_controls_open(const gw_model *model, gw_genome *genome, const gw_string_list *paths,
                           gw_controls **out) GW_MUST_CHECK;
void gw_controls_free(gw_controls *controls); // NULL is fine

// The terms for a window of the model's length from `begin` (0-based), read on a strand. *logits: terms of the
// profile's logits, [rows][strands], valid until the next call. *counts: the term of ln(1 + counts). For the strand -
// the window is read backwards, and the order of the tracks is reversed.
gw_status gw_controls_of(gw_controls *controls, int contig, int64_t begin, char strand, const float **logits,
                         double *counts) GW_MUST_CHECK;

#endif
