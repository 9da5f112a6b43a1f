// SPDX-License-Identifier: MIT
// Negatives from the genome itself: windows far from every TSS, with their parent's GC content and in its split.
#ifndef GW_LABEL_GENOMIC_NEGATIVE_H
#define GW_LABEL_GENOMIC_NEGATIVE_H

#include "base/status.h"
#include "label/free_windows.h"
#include "label/split.h"

typedef struct {
    gw_genome *genome; // borrowed
    gw_free_windows windows[GW_SPLITS];
    char *candidate, *best; // [width]
    int64_t width;
} gw_genomic_negatives;

// Windows of `width` bp whose every base is at least `distance` bp from every TSS; those of a split lie wholly in it.
gw_status gw_genomic_negatives_new(gw_genomic_negatives *negatives, gw_genome *genome, const gw_regions *tss,
                                   const gw_held_out *held_out, int64_t width, int64_t distance) GW_MUST_CHECK;
// How many windows of a split lie side by side.
int64_t gw_genomic_negatives_capacity(const gw_genomic_negatives *negatives, gw_set_split split);
void gw_genomic_negatives_free(gw_genomic_negatives *negatives);

// Of a split that has room. Draws windows until one has no more N than `parent` and a GC content (of A, C, G, T) within
// 0.02 of it, at most 500 times; then the closest is taken. region says where it lies and on which strand (uniform);
// *bases [width] are in the direction of that strand and belong to `negatives` until the next call. *matched is false
// where none was within 0.02.
gw_status gw_genomic_negative(gw_genomic_negatives *negatives, gw_random *random, gw_set_split split,
                              const char *parent, gw_region *region, const char **bases, bool *matched) GW_MUST_CHECK;

#endif
