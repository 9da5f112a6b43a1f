// SPDX-License-Identifier: MIT
// A profile set: bins of a genome, the window around each, and which of many targets each bin carries.
//
// Bins are [k b, (k + 1) b) on every contig, k = 0, 1, ... while they lie on it. The window of a bin starts
// floor((W - b) / 2) bases before it and is W long; bins whose window leaves the contig are dropped. A bin is positive
// for a target by
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

// peaks.c: peaks of many targets, read from BED or narrowPeak files and kept by contig.

// The part of a peak that must lie in a bin. Never inferred from the peaks' width.
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

typedef struct {
    int64_t bin, window; // bp
    gw_label_rule rule;
    bool majority;                               // overlap: more than half, as DeepSEA's sets
    enum { GW_BINS_ALL, GW_BINS_LABELLED } bins; // the others have no label, and are dropped
    const char *command;                         // written to PREFIX.json; may be NULL
} gw_profile_set_options;

typedef struct {
    int64_t bins[GW_SPLITS]; // written
    int64_t off_contig;      // bins whose window leaves the contig
    int64_t touching;        // windows that touch held-out or excluded sequence of another split
    int64_t unlabelled;      // dropped
    int64_t duplicates;      // windows that also occur, on either strand, at a bin held out from their part
} gw_profile_counts;

// A bin of a contig and a target that it carries.
typedef struct {
    int64_t bin;
    int32_t target;
} gw_bin_label;

// The labels of a contig's peaks (as gw_peaks_read leaves them), by bin, then target, each once. free(*out).
gw_status gw_bin_labels(const gw_contig_peaks *peaks, const gw_profile_set_options *options, gw_bin_label **out,
                        int64_t *count) GW_MUST_CHECK;

// Writes PREFIX.bed.gz, PREFIX.labels, PREFIX.names.tsv and PREFIX.json of docs/reference/formats.md, contig by contig.
gw_status gw_profile_set_write(gw_genome *genome, const gw_peaks *peaks, const gw_held_out *held_out,
                               const gw_profile_set_options *options, const char *prefix,
                               gw_profile_counts *counts) GW_MUST_CHECK;

#endif
