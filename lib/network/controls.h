// SPDX-License-Identifier: MIT
// What control tracks (n_control_tracks of BPNet's config.json) add to what a network of profiles predicts of a window.
//
// Reads of a control experiment, c_k(i) for base i of track k, are read from tracks (seq/track/track.h):
//   logit of a profile's row i and strand s   + sum over k and 75 taps t of w[t][s][k] c_k(i + t - 37)
//   ln(1 + counts)                            + v ln(1 + sum of all c over the profile's rows and 37 more on either
//   side)
// Bases without a value, and beyond a contig, have 0: they add nothing, as no control tracks do.
#ifndef GW_NETWORK_CONTROLS_H
#define GW_NETWORK_CONTROLS_H

#include "base/string.h"
#include "model/model.h"
#include "seq/genome/genome.h"

typedef struct gw_controls gw_controls;

// paths: bigWig or bedGraph, as many as the model has control tracks, in the order of its training; none: *out is NULL.
// A track may hold its counts as negative numbers, as those of - often do; one with both signs is an error, and one
// without a value on a contig is warned of. Borrows everything.
gw_status gw_controls_open(const gw_model *model, gw_genome *genome, const gw_string_list *paths,
                           gw_controls **out) GW_MUST_CHECK;
void gw_controls_free(gw_controls *controls); // NULL is fine

// Of the window of the model's length that begins at `begin`, read on a strand: what is added to the logits of its
// profile, logits[rows][strands], valid until the next call, and to ln(1 + counts). Of the strand - the window is read
// backwards, and the first track is the last one's counterpart.
gw_status gw_controls_of(gw_controls *controls, int contig, int64_t begin, char strand, const float **logits,
                         double *counts) GW_MUST_CHECK;

#endif
