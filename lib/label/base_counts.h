// SPDX-License-Identifier: MIT
// The number of reads that begin at each base of a genome, on one strand or on both, from tracks (seq/track/track.h).
#ifndef GW_LABEL_BASE_COUNTS_H
#define GW_LABEL_BASE_COUNTS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_COUNT_STRANDS = 2 };

typedef struct gw_base_counts gw_base_counts;
// Opens one track, or one for + and one for -, for the contigs with wanted[contig]. Bases without a value have 0. A
// track may hold its counts as negative numbers, as tracks of the - strand often do. A track with both signs is an
// error.
gw_status gw_base_counts_open(const char *const *tracks, int strands, gw_genome *genome, const bool *wanted,
                              gw_base_counts **out) GW_MUST_CHECK;
void gw_base_counts_close(gw_base_counts *counts); // NULL is fine

// Fills count[end - begin][strands] for bases [begin, end), which must lie on the contig. strand '-': the window is
// read backwards, and the two strands are exchanged.
void gw_base_counts_fill(const gw_base_counts *counts, int contig, int64_t begin, int64_t end, char strand,
                         float *count);

#endif
