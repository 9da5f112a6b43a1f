// SPDX-License-Identifier: MIT
// Peaks of many targets, read from BED or narrowPeak files and kept by contig.
#ifndef GW_LABEL_PEAKS_H
#define GW_LABEL_PEAKS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

// What of a peak must lie in a bin. Never inferred from the peaks' width.
typedef enum { GW_LABEL_OVERLAP, GW_LABEL_MIDPOINT, GW_LABEL_SUMMIT } gw_label_rule;
extern const char *const gw_label_rule_names[]; // "overlap", "midpoint", "summit"

typedef struct {
    int32_t target;
    int64_t begin, end; // 0-based half-open, bp; for midpoint and summit the point alone
} gw_peak;

typedef struct {
    gw_peak *items; // by target, then begin, once read
    int64_t count, capacity;
} gw_contig_peaks;

typedef struct {
    char **names; // [targets]; files: in the order given (names may recur); column 4: sorted
    int32_t targets;
    gw_contig_peaks *contigs; // [contigs of the genome]
    int contig_count;
    int64_t count; // peaks in all
    int64_t empty; // of 0 bp, left out
} gw_peaks;

// Reads every file. With `from_column` the target is column 4, else the file's name without folder and without .gz and
// the ending after it. Midpoint: floor((begin + end) / 2). Summit: begin + column 10 (narrowPeak). An unknown contig, a
// peak past its contig's end or a missing column is an error that names file and line; a peak of 0 bp is left out and
// counted.
gw_status gw_peaks_read(gw_peaks *peaks, gw_genome *genome, char *const *paths, int count, gw_label_rule rule,
                        bool from_column) GW_MUST_CHECK;
void gw_peaks_free(gw_peaks *peaks);

#endif
