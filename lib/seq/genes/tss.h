// SPDX-License-Identifier: MIT
// Transcription start sites, the records of a BED6 file, and the windows around them.
//
// A window is [TSS - U, TSS + D) on the TSS's strand, in its direction, so that the TSS is at offset U. On the forward
// strand this is [t - U, t + D) for +, and [t - D + 1, t + U + 1) for -.
#ifndef GW_SEQ_GENES_TSS_H
#define GW_SEQ_GENES_TSS_H

#include "base/status.h"
#include "seq/genes/gff.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdint.h>

// Reads the TSSs of a file. Records without a strand or with 0 bp are skipped with a warning that counts them. A file
// without other records is an error. If more than half of the sites are at the first base of a start codon (ATG, GTG or
// TTG on the strand of the site), a warning says that they are not transcription start sites.
gw_status gw_read_tss(gw_regions *tss, gw_genome *genome, const char *path) GW_MUST_CHECK;
// The TSS of a record: its first base on +, its last on -. For records of 1 bp it is this base.
int64_t gw_tss_position(const gw_region *record);
// The window of a TSS on the forward strand.
void gw_tss_window(int64_t tss, char strand, int64_t upstream, int64_t downstream, int64_t *begin, int64_t *end);

// Writes the first bases of features as BED6, for `promoters` and `score --sites`.

typedef struct {
    gw_genome *genome; // gives the contig names; every start must lie on it; NULL: names as in the file
    bool unique;       // one row for each position and strand, from the first feature
    const char *path;  // NULL or "-": standard output
} gw_tss_options;

typedef struct {
    int64_t written, no_strand, no_contig, off_contig, repeated;
    const char *unknown; // a contig that the genome lacks, borrowed from the features; NULL: none
} gw_tss_counts;

// Writes rows contig, start, start + 1, name (or '.'), 0, strand in the order of the features. The start is the first
// base on +, the last on -. Features without a strand, and those outside the genome, are skipped and counted.
gw_status gw_tss_write(const gw_features *features, const gw_tss_options *options, gw_tss_counts *counts) GW_MUST_CHECK;

#endif
