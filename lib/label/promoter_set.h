// SPDX-License-Identifier: MIT
// A promoter set: the windows around transcription start sites and one negative for each, as a TSV.
//
// The window is that of seq/genes/tss.h on the TSS's strand. The TSS is at offset U of the sequence.
#ifndef GW_LABEL_PROMOTER_SET_H
#define GW_LABEL_PROMOTER_SET_H

#include "base/random.h"
#include "base/status.h"
#include "label/held_out.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_NEGATIVES_GENOMIC, GW_NEGATIVES_SUBSTITUTE, GW_NEGATIVES_SHUFFLE } gw_negatives;
extern const char *const gw_negatives_names[]; // "genomic", "substitute", "shuffle"

typedef struct {
    int64_t upstream, downstream; // U and D, bp
    gw_negatives negatives;
    int64_t distance; // genomic: least distance in bp between a negative's bases and any TSS; halved, down to 1, if the
                      // negatives of a split cannot all lie side by side
    uint64_t seed;
} gw_promoter_options;

typedef struct {
    int64_t positives[GW_SPLITS]; // written, with one negative each
    int64_t duplicates;           // windows that also occur elsewhere in test or validation; skipped there
    int64_t off_contig;           // windows beyond their contig
    int64_t touching;             // windows that touch held-out or excluded sequence of another split
    int64_t distance;             // genomic: as requested, or halved
    int64_t overlapping;          // genomic: negatives that share bases with other negatives
    int64_t far_gc;               // genomic: no candidate within 2 % of the parent's GC; the closest was used
} gw_promoter_counts;

// Writes the set (docs/reference/formats.md) to `path`, as BGZF if it ends in .gz. Keeps the order of `tss`.
gw_status gw_promoter_set_write(gw_genome *genome, const gw_regions *tss, const gw_held_out *held_out,
                                const gw_promoter_options *options, const char *path,
                                gw_promoter_counts *counts) GW_MUST_CHECK;

// Uniform draws of windows that lie in the zones of a genome and touch no obstacle.
typedef struct {
    gw_regions gaps;        // free stretches of at least `width` bp, sorted by contig and begin
    int64_t *starts_before; // [gaps.count + 1] window starts in earlier gaps
    int64_t width;          // bp of a window
} gw_free_windows;

// Zones and obstacles must be merged regions.
gw_status gw_free_windows_find(gw_free_windows *windows, const gw_regions *zones, const gw_regions *obstacles,
                               int64_t width) GW_MUST_CHECK;
int64_t gw_free_windows_count(const gw_free_windows *windows); // number of different starts
// Draws a window (there must be one). Every start is equally likely.
void gw_free_windows_draw(const gw_free_windows *windows, gw_random *random, int *contig, int64_t *begin);
void gw_free_windows_free(gw_free_windows *windows);

// Negatives made from the promoter's own sequence.
//
// A window of W bases is cut into 20 nearly equal pieces; piece i is [i W / 20, (i + 1) W / 20). For every example, 12
// pieces are drawn without replacement; the other 8 stay. (Oubounyt et al. 2019; BigBird section 5.)
enum { GW_PIECES = 20, GW_PIECES_CHANGED = 12 };

// Replaces the drawn pieces by uniform random A, C, G, T, in place.
void gw_negative_substitute(gw_random *random, char *bases, int64_t length);
// Permutes the drawn pieces among themselves. If W is not a multiple of 20, lengths of pieces differ by at most one
// base, and the bases behind move accordingly. out must not overlap bases.
void gw_negative_shuffle(gw_random *random, const char *bases, int64_t length, char *out);

#endif
