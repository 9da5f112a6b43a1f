// SPDX-License-Identifier: MIT
// Windows that cover a genome's text for evaluation: they overlap by half, and the middle half of each counts.
//
// Windows of W bases begin every h = W / 2 (rounded down) bases of a region, the last one ends where the region does.
// A window counts from (W - h) / 2 bases behind its begin to where the next one begins to count; the region's first
// window counts from its begin and the last one to its end, so every base counts once. A region of at most W bases is
// one window, all of which counts.
#ifndef GW_DATA_GENOME_TILES_H
#define GW_DATA_GENOME_TILES_H

#include "data/genome_text.h"

typedef struct {
    const gw_genome_text *text; // borrowed
    int64_t length;             // bp of a window
    int64_t *before;            // [regions + 1] tiles of the regions before each
    int64_t count;              // of all tiles
} gw_genome_tiles;

// Free with gw_genome_tiles_free().
gw_status gw_genome_tiles_make(gw_genome_tiles *tiles, const gw_genome_text *text, int64_t length) GW_MUST_CHECK;
void gw_genome_tiles_free(gw_genome_tiles *tiles);

// Bases of the text: the window [begin, end) and what counts of it, [first, last).
typedef struct {
    const gw_text_region *region;
    int64_t begin, end, first, last;
} gw_genome_tile;
gw_genome_tile gw_genome_tile_at(const gw_genome_tiles *tiles, int64_t number);

#endif
