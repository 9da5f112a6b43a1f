// SPDX-License-Identifier: MIT
// Windows of a genome with the counts of their bases, for networks of profiles.
#ifndef GW_TASK_COUNTS_COUNT_SET_H
#define GW_TASK_COUNTS_COUNT_SET_H

#include "base/string.h"
#include "label/base_counts.h"
#include "label/labelled_set.h"
#include "model/family.h"
#include "network/controls.h"
#include "network/forward.h"
#include "seq/genome/regions.h"

// Regions of a set (BED, or a table). Only the middle of a region counts, floor((begin + end) / 2). Its window is
// `rows` bases, floor(rows / 2) of them before the middle on the region's strand. The network reads `flank` more bases
// on either side, N beyond the contig. Regions with windows beyond the contig are skipped.
typedef struct {
    gw_genome *genome;      // borrowed
    gw_labelled_set *set;   // its regions
    gw_base_counts *counts; // NULL: unknown
    int strands;
    int64_t rows, flank; // bp
    gw_region *windows;  // [count]
    int64_t *region;     // [count] index in the set
    int64_t count, left_out;
} gw_count_set;

// `split`: NULL: all. `tracks` empty: windows without counts. Close `out`, also after a failure.
gw_status gw_count_set_open(const gw_string_list *sets, const gw_string_list *tracks, gw_genome *genome,
                            const char *split, const gw_tracks *model, gw_count_set *out) GW_MUST_CHECK;
void gw_count_set_close(gw_count_set *set); // zeros are fine
// Reads other counts of the same windows, such as a replicate. Close them.
gw_status gw_count_set_read(const gw_count_set *set, const gw_string_list *tracks, gw_base_counts **out) GW_MUST_CHECK;
// Fails unless the model predicts profiles of this number of strands (0: any), with a network of its own only.
gw_status gw_check_profiles(const gw_config *config, int strands, gw_tracks *out) GW_MUST_CHECK;

// A network of profiles for running over windows.
typedef struct {
    gw_model *model; // borrowed
    gw_genome *genome;
    gw_tracks tracks;
    gw_forward forward;
    gw_batch batch;
    int32_t letter[256];
    char *bases, *flipped; // [window]
    double *profile;       // [rows][strands]
    gw_controls *controls; // terms for each window, or NULL; freed with the network
    const gw_region *windows;
    int64_t ran; // number of windows so far
    struct gw_count_sink *sink;
} gw_count_network;

// Takes the profile [rows][strands] of window i, on its strand, with sum 1, and ln(1 + counts).
typedef struct gw_count_sink {
    gw_status (*take)(void *context, int64_t i, const double *profile, double counts);
    void *context;
    const char *progress; // name of the progress display; NULL: none
} gw_count_sink;

// tokens 0: the default. Borrows model and genome. Free `network`, also after a failure.
gw_status gw_count_network_make(gw_count_network *network, gw_model *model, gw_genome *genome,
                                int64_t tokens) GW_MUST_CHECK;
void gw_count_network_free(gw_count_network *network); // zeros are fine
gw_status gw_count_network_run(gw_count_network *network, const gw_region *windows, int64_t count,
                               gw_count_sink sink) GW_MUST_CHECK;

// The letters that a network reads for a window on its strand, with flanks: bases[rows + 2 flank].
gw_status gw_count_window_bases(gw_genome *genome, const gw_region *window, int64_t flank, char *scratch,
                                const char **bases, char *flipped) GW_MUST_CHECK;

#endif
