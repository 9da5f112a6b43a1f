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
#include "label/peaks.h"
#include "label/split.h"

#include <stdbool.h>
#include <stdint.h>

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

// Writes PREFIX.bed.gz, PREFIX.labels, PREFIX.names.tsv and PREFIX.json (docs/formats.md), one contig at a time.
gw_status gw_profile_set_write(gw_genome *genome, const gw_peaks *peaks, const gw_held_out *held_out,
                               const gw_profile_set_options *options, const char *prefix,
                               gw_profile_counts *counts) GW_MUST_CHECK;

#endif
