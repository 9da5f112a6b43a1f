// SPDX-License-Identifier: MIT
// A folder of tracks, one for each label of a model, and tracks.tsv, which says what each file is.
//
// Values come tile by tile with all labels, and files are written label by label: between lies a file without a name in
// the folder, 4 bytes a tile and label, so that hundreds of labels over a whole genome take no memory.
#ifndef GW_TASK_WINDOWS_TRACK_FOLDER_H
#define GW_TASK_WINDOWS_TRACK_FOLDER_H

#include "task/windows/predict_tiles.h"

#include <stdio.h>

typedef struct {
    const char *folder, *suffix; // ".bw", ".bedgraph.gz"
    const gw_tiles *tiles;
    const gw_genome *genome;
    const char *const *names; // of the labels
    int64_t labels;
    FILE *spool; // [labels][tiles]
    int64_t with_value;
} gw_track_folder;

// Makes the folder. Free with gw_track_folder_free().
gw_status gw_track_folder_open(gw_track_folder *tracks) GW_MUST_CHECK;
// Takes values, as gw_tiles_sink; `context` is the gw_track_folder.
gw_status gw_track_folder_add(void *context, int64_t first, int64_t count, const float *values) GW_MUST_CHECK;
// Writes a file for each label, and tracks.tsv last.
gw_status gw_track_folder_write(gw_track_folder *tracks) GW_MUST_CHECK;
void gw_track_folder_free(gw_track_folder *tracks);

#endif
