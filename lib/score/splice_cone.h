// SPDX-License-Identifier: MIT
// Which rows of a network's levels an allele changes, and where all others stand.
//
// REF's bases [at, at + removed) become `put` others. Rows of the allele are numbered as its bases are, so that those
// before the change have REF's numbers, and those behind it REF's plus put - removed. With reach f of a level, rows
// [at - f, at + put + f) feel the change; all others are REF's. Of those that feel it, an allele whose rows [begin,
// end) of the last level are read needs the ones within flank - f of these: the cone.
#ifndef GW_SCORE_SPLICE_CONE_H
#define GW_SCORE_SPLICE_CONE_H

#include "score/splice_layers.h"

typedef struct {
    int64_t at, removed, put;
    int64_t begin, end;
} gw_splice_change;

typedef struct {
    int64_t begin, end; // begin = end: none
} gw_splice_range;

// What turns REF's bases from `offset` on, `span` of them, into `length` others.
gw_splice_change gw_splice_change_of(const char *ref, int64_t offset, int64_t span, const char *alt, int64_t length);

// Rows of a level that feel the change, whoever needs them; those of them that are needed; all rows of any level's
// cone.
gw_splice_range gw_splice_felt(const gw_splice_layers *layers, const gw_splice_change *change, int level);
gw_splice_range gw_splice_cone(const gw_splice_layers *layers, const gw_splice_change *change, int level);
gw_splice_range gw_splice_all_cones(const gw_splice_layers *layers, const gw_splice_change *change);

// REF's number of an allele's row that does not feel the change.
int64_t gw_splice_ref_row(const gw_splice_change *change, int64_t row);

#endif
