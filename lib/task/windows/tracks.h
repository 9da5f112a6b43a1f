// SPDX-License-Identifier: MIT
// A folder of tracks, one for each label of a model, and tracks.tsv, which names each file's label.
//
// Values come tile by tile with all labels, and files are written label by label: between lies a file without a name in
// the folder, 4 bytes a tile and label, so that hundreds of labels over a whole genome take no memory.
#ifndef GW_TASK_WINDOWS_TRACKS_H
#define GW_TASK_WINDOWS_TRACKS_H

#include "seq/genome/genome.h"
#include "seq/genome/regions.h"
#include "task/windows/predict.h"

#include <stdio.h>

// Probabilities along a genome: one value for each label and tile, whole contigs or regions of them.
//
// Tile k of a contig is [k step, (k + 1) step), 0-based; the last stretch of a contig that is shorter than a step is no
// tile. A tile's window is centred on its middle, begin + floor(step / 2), as regions of predict.h are. Of models that
// were trained to see a TSS the middle is one, on either strand: labels then have two values, of + and of -.

// Tiles [first, first + count) of a contig; `before` are those of the runs before.
typedef struct {
    int contig;
    int64_t first, count, before;
} gw_tile_run;

typedef struct {
    gw_tile_run *runs; // contigs in the genome's order, tiles ascending, apart from each other
    int64_t run_count, capacity;
    int64_t count; // of all tiles
    int64_t step;  // bp
} gw_tiles;

// The tiles that overlap the regions, which are sorted and joined for that; NULL: all of the genome.
gw_status gw_tiles_make(gw_tiles *tiles, const gw_genome *genome, gw_regions *regions, int64_t step) GW_MUST_CHECK;
void gw_tiles_free(gw_tiles *tiles);

// Values [count][strands][labels] of tiles [first, first + count) of the list. NaN where there is none.
typedef gw_status gw_tiles_sink(void *context, int64_t first, int64_t count, const float *values);

typedef struct {
    int64_t beyond; // windows that leave the contig, of each strand that is read
    int64_t n_rich; // and those that are more than half N
} gw_tiles_left_out;

// Every tile in order, with progress. `window` in bp. strands: 1, or 2 with the TSS tss_offset bases (0 or more) into
// the window; -1: in its middle.
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
// Takes values, as gw_tiles_sink; `context` is the gw_track_folder.
gw_status gw_track_folder_add(void *context, int64_t first, int64_t count, const float *values) GW_MUST_CHECK;
// Writes a file for each label, and tracks.tsv last.
gw_status gw_track_folder_write(gw_track_folder *tracks) GW_MUST_CHECK;
void gw_track_folder_free(gw_track_folder *tracks);

#endif
