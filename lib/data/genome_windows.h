// SPDX-License-Identifier: MIT
// Windows of a genome's text, each a pure function of (seed, number): at random offsets, on random strands.
//
// Every window that lies in a region is as likely as any other; a region shorter than a window is one window. One of
// which more than half is N is drawn anew, up to 16 times.
#ifndef GW_DATA_GENOME_WINDOWS_H
#define GW_DATA_GENOME_WINDOWS_H

#include "data/genome_text.h"

typedef struct {
    const gw_genome_text *text; // borrowed
    int64_t length;             // bp of a window
    int64_t *before;            // [regions + 1] windows of the regions before each
    uint64_t seed;
} gw_genome_windows;

// Free with gw_genome_windows_free().
gw_status gw_genome_windows_make(gw_genome_windows *windows, const gw_genome_text *text, int64_t length,
                                 uint64_t seed) GW_MUST_CHECK;
void gw_genome_windows_free(gw_genome_windows *windows);

// Where a window lies in text->bases, and which strand is read.
typedef struct {
    const gw_text_region *region;
    int64_t begin, count; // of the text's bases
    bool reverse;
} gw_genome_window;
gw_genome_window gw_genome_window_draw(const gw_genome_windows *windows, int64_t number);
// Its bases on its strand into bases[window.count], repeats in lower case.
void gw_genome_window_read(const gw_genome_text *text, gw_genome_window window, char *bases);

#endif
