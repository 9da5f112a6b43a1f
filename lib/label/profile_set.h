// SPDX-License-Identifier: MIT
// A profile set: bins of a genome, the window around each bin, and the targets that are positive in each bin.
//
// Bins are [k b, (k + 1) b) on every contig, for k = 0, 1, ... up to its end. The window of a bin is W long and starts
// floor((W - b) / 2) bases before it. Bins with windows beyond the contig are dropped. A bin is positive for a target
// by one of these rules:
//   overlap   the target's peaks, merged, cover at least half of it: 2 covered >= b (`majority`: 2 covered > b)
//   midpoint  the middle of one of its peaks lies in the bin
//   summit    the summit of one of its peaks lies in the bin
#ifndef GW_LABEL_PROFILE_SET_H
#define GW_LABEL_PROFILE_SET_H

#include "base/status.h"
#include "label/held_out.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

// peaks.c: peaks of several targets, read from BED or narrowPeak files, by contig.

// The part of a peak that must lie in a bin. It is never inferred from the peaks' widths.
typedef enum { GW_LABEL_OVERLAP, GW_LABEL_MIDPOINT, GW_LABEL_SUMMIT } gw_label_rule;
extern const char *const gw_label_rule_names[]; // "overlap", "midpoint", "summit"

typedef struct {
    int32_t target;
    int64_t begin, end; // 0-based half-open, bp; for midpoint and summit only this base
} gw_peak;

typedef struct {
    gw_peak *items; // sorted by target, then begin, after reading
    int64_t count, capacity;
} gw_contig_peaks;

typedef struct {
    char **names; // [targets]; from files: in the given order (names may repeat); from column 4: sorted
    int32_t targets;
    gw_contig_peaks *contigs; // [contigs of the genome]
    int contig_count;
    int64_t count; // all peaks
    int64_t empty; // peaks of 0 bp, skipped
} gw_peaks;

// Reads all files. With `from_column` the target is column 4, otherwise the file's name without folder, .gz and ending.
// Midpoint: floor((begin + end) / 2). Summit: begin + column 10 (narrowPeak). An unknown contig, a peak beyond its
// contig's end and a missing column are errors that name file and line. Peaks of 0 bp are skipped and counted.
gw_status gw_peaks_read(gw_peaks *peaks, gw_genome *genome, char *const *paths, int count, gw_label_rule rule,
                        bool from_column) GW_MUST_CHECK;
void gw_peaks_free(gw_peaks *peaks);

typedef struct {
    int64_t bin, window; // bp
    gw_label_rule rule;
    bool majority;                               // overlap: more than half, as in DeepSEA's sets
    enum { GW_BINS_ALL, GW_BINS_LABELLED } bins; // bins without a label are kept or dropped
    const char *command;                         // written to PREFIX.json; may be NULL
} gw_profile_set_options;

typedef struct {
    int64_t bins[GW_SPLITS]; // written
    int64_t off_contig;      // bins with windows beyond the contig
    int64_t touching;        // windows that touch held-out or excluded sequence of another split
    int64_t unlabelled;      // dropped
    int64_t duplicates;      // windows that also occur, on either strand, at a bin held out from their part
} gw_profile_counts;         // windows that also occur, on either strand, in a bin held out from their split

// A bin of a contig and one of its targets.
typedef struct {
    int64_t bin;
    int32_t target;
} gw_bin_label;

// The labels of a contig's peaks (from gw_peaks_read()), sorted by bin, then target, without repetitions. free(*out).
gw_status gw_bin_labels(const gw_contig_peaks *peaks, const gw_profile_set_options *options, gw_bin_label **out,
                        int64_t *count) GW_MUST_CHECK;

// Writes PREFIX.bed.gz, PREFIX.labels, PREFIX.names.tsv and PREFIX.json of docs/reference/formats.md, contig by contig.
gw_status gw_profile_set_write(gw_genome *genome, const gw_peaks *peaks, const gw_held_out *held_out,
                               const gw_profile_set_options *options, const char *prefix,
                               gw_profile_counts *counts) GW_MUST_CHECK;

#endif
