// SPDX-License-Identifier: MIT
// A region as a picture: tracks, genes, and variants with their scores, one above the other with a common axis.
#ifndef GW_TOOLS_VIEW_VIEW_PICTURE_H
#define GW_TOOLS_VIEW_VIEW_PICTURE_H

#include "seq/genome/regions.h"
#include "seq/track/track.h"

#include <stdbool.h>

typedef struct {
    char *name;
    gw_track_values values;
} gw_view_track;

typedef struct {
    int64_t position; // 0-based
    double score;     // NaN: none
    char *name;       // "rs12 A>G", or "1,234 A>G", and its effect if known
    bool stop;        // the variant creates a stop codon
} gw_view_variant;

typedef struct {
    int64_t begin, end; // 0-based half-open
} gw_view_exon;

typedef struct {
    char *name;
    char strand;
    int64_t begin, end;
    gw_view_exon *exons; // [exon_count]; none: the gene is drawn whole
    int64_t exon_count;
} gw_view_gene;

typedef struct {
    const gw_genome *genome;
    gw_region region;
    const gw_view_track *tracks;
    int track_count;
    const gw_view_gene *genes; // those of the region
    int64_t gene_count;
    const gw_view_variant *variants;
    int64_t variant_count;
    const char *score_name; // label of the variants' axis; NULL: no panel of variants
    bool numbers;           // scores are from a model of measured numbers
    int64_t named;          // number of the largest scores with names
} gw_view;

gw_status gw_view_draw(const gw_view *view, const char *path) GW_MUST_CHECK;

#endif
