// SPDX-License-Identifier: MIT
// A promoter set: the windows around transcription start sites and one negative for each, as a TSV.
//
// The window is that of seq/genes/tss.h on the TSS's strand, so that the TSS lies at offset U of the sequence.
#ifndef GW_LABEL_PROMOTER_SET_H
#define GW_LABEL_PROMOTER_SET_H

#include "base/status.h"
#include "label/split.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_NEGATIVES_GENOMIC, GW_NEGATIVES_SUBSTITUTE, GW_NEGATIVES_SHUFFLE } gw_negatives;
extern const char *const gw_negatives_names[]; // "genomic", "substitute", "shuffle"

typedef struct {
    int64_t upstream, downstream; // U and D, bp
    gw_negatives negatives;
    int64_t distance; // genomic: least distance in bp between a negative's bases and any TSS; halved, down to 1, where
                      // not all negatives of a split could lie side by side
    uint64_t seed;
} gw_promoter_options;

typedef struct {
    int64_t positives[GW_SPLITS]; // written, with one negative each
    int64_t duplicates;           // windows that occur in test, or in validation, and lie elsewhere: left out there
    int64_t off_contig;           // windows that leave their contig
    int64_t touching;             // windows that touch held-out or excluded sequence of another split
    int64_t distance;             // genomic: as asked for, or halved
    int64_t overlapping;          // genomic: negatives that share bases with another one
    int64_t far_gc;               // genomic: no candidate within 2 % of the parent's GC; the closest was taken
} gw_promoter_counts;

// Writes the set (docs/formats.md) to `path`, BGZF where it ends in .gz. `tss` stay in their order.
gw_status gw_promoter_set_write(gw_genome *genome, const gw_regions *tss, const gw_held_out *held_out,
                                const gw_promoter_options *options, const char *path,
                                gw_promoter_counts *counts) GW_MUST_CHECK;

#endif
