// SPDX-License-Identifier: MIT
// A region as a picture: tracks, genes, and variants by their scores, one above the other over one axis.
#ifndef GW_TOOLS_VIEW_VIEW_PICTURE_H
#define GW_TOOLS_VIEW_VIEW_PICTURE_H

#include "seq/genes/genes.h"
#include "seq/track/track.h"

typedef struct {
    char *name;
    gw_track_values values;
} gw_view_track;

typedef struct {
    int64_t position; // 0-based
    double score;     // NaN: none
    char *name;       // "rs12 A>G", or "1,234 A>G"
} gw_view_variant;

typedef struct {
    const gw_genome *genome;
    gw_region region;
    const gw_view_track *tracks;
    int track_count;
    const gw_genes *genes; // or NULL
    const gw_view_variant *variants;
    int64_t variant_count;
    const char *score_name; // what the variants' axis is called; NULL: there is no panel of variants
    int64_t named;          // how many of the largest scores are named
} gw_view;

gw_status gw_view_draw(const gw_view *view, const char *path) GW_MUST_CHECK;

#endif
