// SPDX-License-Identifier: MIT
// Chosen regions of genomes in memory, a byte a base. Windows are cut from them at any place.
#ifndef GW_DATA_GENOME_TEXT_H
#define GW_DATA_GENOME_TEXT_H

#include "base/status.h"
#include "seq/genome/contig_sizes.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int genome;         // number of the part it was read with
    int contig;         // of that genome
    int64_t begin, end; // 0-based half-open, bp
    int64_t first;      // its first base among those of the text
} gw_text_region;

// Zero-initialise; free with gw_genome_text_free().
typedef struct {
    char *bases; // [count] A C G T N of the regions, end to end, the forward strand; a repeat's are in lower case
    int64_t count, capacity;
    gw_text_region *regions; // [region_count] disjoint: by contig and place within a part
    int64_t region_count, region_capacity;
    int parts;
    gw_contig_sizes genomes; // that the parts are of
} gw_genome_text;

// The regions of a genome that are read, and which of its bases are repeats.
typedef struct {
    const char *fasta;   // plain or BGZF
    const char *regions; // BED; overlapping and touching rows join; NULL: every contig
    const char *without; // BED of regions that are left out; NULL: none
    const char *repeats; // BED of repeats; GW_REPEATS_SELF: bases in 31-mers that occur twice in the genome, on either
                         // strand; NULL: none
    bool soft_masked;    // lower case is a repeat; a genome of one case alone is an error
} gw_genome_source;
#define GW_REPEATS_SELF "self"

// Appends a part. Regions without any base but N are an error.
gw_status gw_genome_text_add(gw_genome_text *text, const gw_genome_source *part) GW_MUST_CHECK;
void gw_genome_text_free(gw_genome_text *text);
static inline bool gw_text_is_repeat(char base) {
    return base & 0x20;
}
// MD5 of regions and bases with their case.
gw_status gw_genome_text_digest(const gw_genome_text *text, char hex[33]) GW_MUST_CHECK;

// Sequence of other genomes that resembles held-out sequence too much to be trained on.

enum { GW_HOMOLOG_LENGTH = 24, GW_HOMOLOG_MARGIN = 1000 };

// Cuts out of the regions of all genomes of the text but the first what shares a 24-mer with `held_out`, on either
// strand, and 1,000 bp on both sides of it. *bases: how much was cut out. The text keeps its bases, and loses regions.
gw_status gw_homologs_cut(gw_genome_text *text, const gw_genome_text *held_out, int64_t *bases) GW_MUST_CHECK;

// Windows of a genome's text, each a pure function of (seed, number): at random offsets, on random strands.
//
// Every window that lies in a region is as likely as any other; a region shorter than a window is one window. One of
// which more than half is N is drawn anew, up to 16 times.

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

// Windows that cover a genome's text for evaluation: they overlap by half, and the middle half of each counts.
//
// Windows of W bases begin every h = W / 2 (rounded down) bases of a region, the last one ends where the region does.
// A window counts from (W - h) / 2 bases behind its begin to where the next one begins to count; the region's first
// window counts from its begin and the last one to its end, so every base counts once. A region of at most W bases is
// one window, all of which counts.

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
