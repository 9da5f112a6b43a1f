// SPDX-License-Identifier: MIT
// A folder of tracks, one for each label of a model, with tracks.tsv, which lists the label of each file.
//
// Values are computed tile by tile for all labels, but files are written label by label. In between, values are in an
// unnamed file in the folder, 4 bytes for each tile and label. Hundreds of labels over a whole genome thus take no
// memory.
#ifndef GW_TASK_WINDOWS_TRACKS_H
#define GW_TASK_WINDOWS_TRACKS_H

#include "seq/genome/genome.h"
#include "seq/genome/regions.h"
#include "task/windows/predict.h"

#include <stdio.h>

// Probabilities along a genome: one value for each label and tile, for whole contigs or regions.
//
// Tile k of a contig is [k step, (k + 1) step), 0-based. A last stretch shorter than a step is not a tile. A tile's
// window is centred on its middle, begin + floor(step / 2), like the regions of gw_labelled_set_of_regions(). For
// models trained with a TSS, the middle is used as TSS on either strand: labels then have two values, for + and for -.

// Tiles [first, first + count) of a contig; `before` is the number of tiles in earlier runs.
typedef struct {
    int contig;
    int64_t first, count, before;
} gw_tile_run;

typedef struct {
    gw_tile_run *runs; // contigs in the genome's order, tiles ascending, disjoint
    int64_t run_count, capacity;
    int64_t count; // number of tiles
    int64_t step;  // bp
} gw_tiles;

// The tiles that overlap the regions, which are sorted and joined; NULL: the whole genome.
gw_status gw_tiles_make(gw_tiles *tiles, const gw_genome *genome, gw_regions *regions, int64_t step) GW_MUST_CHECK;
void gw_tiles_free(gw_tiles *tiles);

// Values [count][strands][labels] of tiles [first, first + count) of the list; NaN: none.
typedef gw_status gw_tiles_sink(void *context, int64_t first, int64_t count, const float *values);

typedef struct {
    int64_t beyond; // windows beyond the contig, counted for each strand
    int64_t n_rich; // windows with more than half N
} gw_tiles_left_out;

// Predicts every tile in order, with a progress display. `window` in bp. strands: 1; or 2 with the TSS at offset
// tss_offset (0 or more) of the window; -1: in its middle.
gw_status gw_predict_tiles(const gw_ensemble *ensemble, gw_genome *genome, const gw_tiles *tiles, int64_t window,
                           int64_t tss_offset, int strands, gw_tiles_sink *sink, void *context,
                           gw_tiles_left_out *left_out) GW_MUST_CHECK;

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
// Takes values, as a gw_tiles_sink; `context` is the gw_track_folder.
gw_status gw_track_folder_add(void *context, int64_t first, int64_t count, const float *values) GW_MUST_CHECK;
// Writes a file for each label, and tracks.tsv last.
gw_status gw_track_folder_write(gw_track_folder *tracks) GW_MUST_CHECK;
void gw_track_folder_free(gw_track_folder *tracks);

#endif
