// SPDX-License-Identifier: MIT
// Windows of a genome with the counts of their bases, as a network of profiles reads and predicts them.
#ifndef GW_TASK_COUNTS_COUNT_SET_H
#define GW_TASK_COUNTS_COUNT_SET_H

#include "base/string.h"
#include "label/base_counts.h"
#include "label/labelled_set.h"
#include "model/family.h"
#include "network/controls.h"
#include "network/forward.h"
#include "seq/genome/regions.h"

// Regions of a set (BED, or a table), each of which stands for its middle, floor((begin + end) / 2). A window is the
// `rows` bases of which floor(rows / 2) lie before that base on the region's strand; the network reads `flank` more on
// either side, N beyond the contig. Regions whose window leaves the contig are left out.
typedef struct {
    gw_genome *genome;      // borrowed
    gw_labelled_set *set;   // its regions
    gw_base_counts *counts; // NULL: none are known
    int strands;
    int64_t rows, flank; // bp
    gw_region *windows;  // [count]
    int64_t *region;     // [count] of the set
    int64_t count, left_out;
} gw_count_set;

// `split` (NULL: all); `tracks` empty: windows without counts. Close it, also on failure.
gw_status gw_count_set_open(const gw_string_list *sets, const gw_string_list *tracks, gw_genome *genome,
                            const char *split, const gw_tracks *model, gw_count_set *out) GW_MUST_CHECK;
void gw_count_set_close(gw_count_set *set); // zeros are fine
// Another table of counts of the same windows, such as a replicate. Close it.
gw_status gw_count_set_read(const gw_count_set *set, const gw_string_list *tracks, gw_base_counts **out) GW_MUST_CHECK;
// Whether the model predicts profiles of so many strands (0: any number), by a network of its own alone.
gw_status gw_check_profiles(const gw_config *config, int strands, gw_tracks *out) GW_MUST_CHECK;

// A network of profiles that is run over windows.
typedef struct {
    gw_model *model; // borrowed
    gw_genome *genome;
    gw_tracks tracks;
    gw_forward forward;
    gw_batch batch;
    int32_t letter[256];
    char *bases, *flipped; // [window]
    double *profile;       // [rows][strands]
    gw_controls *controls; // what is added to each window, or NULL; freed with it
    const gw_region *windows;
    int64_t ran; // windows so far
    struct gw_count_sink *sink;
} gw_count_network;

// Takes the profile [rows][strands] of window i, in the direction of its strand, whose sum is 1, and ln(1 + counts).
typedef struct gw_count_sink {
    gw_status (*take)(void *context, int64_t i, const double *profile, double counts);
    void *context;
    const char *progress; // NULL: none is shown
} gw_count_sink;

// tokens 0: the default. Borrows model and genome. Free it, also on failure.
gw_status gw_count_network_make(gw_count_network *network, gw_model *model, gw_genome *genome,
                                int64_t tokens) GW_MUST_CHECK;
void gw_count_network_free(gw_count_network *network); // zeros are fine
gw_status gw_count_network_run(gw_count_network *network, const gw_region *windows, int64_t count,
                               gw_count_sink sink) GW_MUST_CHECK;

// The letters that a network reads of a window of a strand, its flanks among them: bases[rows + 2 flank].
gw_status gw_count_window_bases(gw_genome *genome, const gw_region *window, int64_t flank, char *scratch,
                                const char **bases, char *flipped) GW_MUST_CHECK;

#endif
