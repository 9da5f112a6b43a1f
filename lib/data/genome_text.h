// SPDX-License-Identifier: MIT
// Chosen regions of genomes in memory, one byte a base. Windows can begin at any position.
#ifndef GW_DATA_GENOME_TEXT_H
#define GW_DATA_GENOME_TEXT_H

#include "base/status.h"
#include "seq/genome/contig_sizes.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int genome;         // number of its part
    int contig;         // of that genome
    int64_t begin, end; // 0-based half-open, bp
    int64_t first;      // index of its first base in the text
} gw_text_region;

// Zero-initialise; free with gw_genome_text_free().
typedef struct {
    char *bases; // [count] A C G T N of the regions, end to end, forward strand; repeats in lower case
    int64_t count, capacity;
    gw_text_region *regions; // [region_count] disjoint, sorted by contig and position within a part
    int64_t region_count, region_capacity;
    int parts;
    gw_contig_sizes genomes; // of the parts
} gw_genome_text;

// The regions of a genome to read, and its repeats.
typedef struct {
    const char *fasta;   // plain or BGZF
    const char *regions; // BED; overlapping and touching rows are merged; NULL: every contig
    const char *without; // BED of regions to skip; NULL: none
    const char *repeats; // BED of repeats; GW_REPEATS_SELF: bases in 31-mers that occur twice in the genome, on either
                         // strand; NULL: none
    bool soft_masked;    // lower case means repeat; a genome with only one case is an error
} gw_genome_source;
#define GW_REPEATS_SELF "self"

// Appends a part. Regions with only N are an error.
gw_status gw_genome_text_add(gw_genome_text *text, const gw_genome_source *part) GW_MUST_CHECK;
void gw_genome_text_free(gw_genome_text *text);
static inline bool gw_text_is_repeat(char base) {
    return base & 0x20;
}
// MD5 of regions and bases, with their case.
gw_status gw_genome_text_digest(const gw_genome_text *text, char hex[33]) GW_MUST_CHECK;

// Removal of sequence of other genomes that is too similar to held-out sequence.

enum { GW_HOMOLOG_LENGTH = 24, GW_HOMOLOG_MARGIN = 1000 };

// Removes sequence that shares a 24-mer with `held_out`, on either strand, and 1,000 bp on both sides, from the regions
// of all genomes except the first. *bases: number of removed bases. The text keeps its bases; only its regions change.
gw_status gw_homologs_cut(gw_genome_text *text, const gw_genome_text *held_out, int64_t *bases) GW_MUST_CHECK;

// Random windows of a genome's text, on random strands. Each is a pure function of (seed, number).
//
// Every window within a region is equally likely. A region shorter than a window is one window. A window with more than
// half N is drawn again, up to 16 times.

typedef struct {
    const gw_genome_text *text; // borrowed
    int64_t length;             // bp of a window
    int64_t *before;            // [regions + 1] number of windows in earlier regions
    uint64_t seed;
} gw_genome_windows;

// Free `windows` with gw_genome_windows_free().
gw_status gw_genome_windows_make(gw_genome_windows *windows, const gw_genome_text *text, int64_t length,
                                 uint64_t seed) GW_MUST_CHECK;
void gw_genome_windows_free(gw_genome_windows *windows);

// A window in text->bases, and its strand.
typedef struct {
    const gw_text_region *region;
    int64_t begin, count; // bases of the text
    bool reverse;
} gw_genome_window;
gw_genome_window gw_genome_window_draw(const gw_genome_windows *windows, int64_t number);
// Copies the bases on the window's strand to bases[window.count], repeats in lower case.
void gw_genome_window_read(const gw_genome_text *text, gw_genome_window window, char *bases);

// Windows that cover a genome's text for evaluation. They overlap by half, and the middle half of each is evaluated.
//
// Windows of W bases begin every h = W / 2 (rounded down) bases of a region; the last one ends at the region's end. The
// evaluated part of a window begins (W - h) / 2 bases behind its begin and ends where that of the next window begins.
// The first window of a region is evaluated from its begin, and the last one to its end, so that every base is
// evaluated once. A region of at most W bases is one window and evaluated whole.

typedef struct {
    const gw_genome_text *text; // borrowed
    int64_t length;             // bp of a window
    int64_t *before;            // [regions + 1] number of tiles in earlier regions
    int64_t count;              // number of tiles
} gw_genome_tiles;

// Free `tiles` with gw_genome_tiles_free().
gw_status gw_genome_tiles_make(gw_genome_tiles *tiles, const gw_genome_text *text, int64_t length) GW_MUST_CHECK;
void gw_genome_tiles_free(gw_genome_tiles *tiles);

// Positions in the text: the window [begin, end) and its evaluated part [first, last).
typedef struct {
    const gw_text_region *region;
    int64_t begin, end, first, last;
} gw_genome_tile;
gw_genome_tile gw_genome_tile_at(const gw_genome_tiles *tiles, int64_t number);

#endif
