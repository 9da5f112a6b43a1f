// SPDX-License-Identifier: MIT
// Lifts BED files through chains, row by row.
//
// A row is lifted if exactly one chain aligns at least `min_match` of its bases (BED12: of its blocks' bases). It then
// spans from the first aligned base to the last, on the target's + strand. On the opposite strand column 6 changes, and
// the order of blocks is reversed. The thick part (columns 7 and 8) becomes the span of its aligned bases. Each block
// of a BED12 must be aligned to `min_match`, otherwise the row is not lifted. Other columns stay.
#ifndef GW_SEQ_LIFT_LIFT_BED_H
#define GW_SEQ_LIFT_LIFT_BED_H

#include "seq/genome/genome.h"
#include "seq/lift/chain.h"

typedef struct {
    const char *input, *output; // NULL or "-": standard input and output
    const char *unlifted;       // rows that were not lifted, each below a line "#reason"; NULL: dropped
    double min_match;           // 0 to 1
    bool multiple;              // a row that several chains align is written once for each, the best first
    const gw_genome *genome;    // the target genome, which gives the contig names; NULL: names of the chain file
} gw_lift_bed_options;

typedef struct {
    int64_t rows, lifted; // lifted: written rows; with `multiple` a row may count several times
    int64_t boundaries;   // BED12 rows with blocks that are not all aligned
    int64_t empty;        // regions of 0 bp
    int64_t results[GW_LIFT_RESULTS];
    char *unknown; // a name that the chain file lacks, or NULL; free() it
} gw_lift_counts;

gw_status gw_lift_bed(const gw_chains *chains, const gw_lift_bed_options *options,
                      gw_lift_counts *counts) GW_MUST_CHECK;

#endif
