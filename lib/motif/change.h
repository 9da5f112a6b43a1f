// SPDX-License-Identifier: MIT
// Sites of motifs that another allele makes, breaks, or makes stronger or weaker.
#ifndef GW_MOTIF_CHANGE_H
#define GW_MOTIF_CHANGE_H

#include "motif/scan.h"

typedef enum { GW_MOTIF_MADE, GW_MOTIF_BROKEN, GW_MOTIF_STRONGER, GW_MOTIF_WEAKER } gw_motif_effect;
extern const char *const gw_motif_effect_names[]; // "made", "broken", "stronger", "weaker"

// A motif whose best window over the changed bases, on either strand, is a site of one allele at least.
typedef struct {
    int32_t motif;
    bool reverse; // of the better one of the two alleles' windows
    gw_motif_effect effect;
    double ref, alt; // scores of the best windows, bits; -INFINITY: no window without N
} gw_motif_change;

// Zero-initialise; free() the items.
typedef struct {
    gw_motif_change *items; // the largest |alt - ref| first, equal ones by motif
    int64_t count, capacity;
} gw_motif_changes;

// Bases of the two alleles with as many bases before and behind them, upper case. Give gw_motif_scanner_reach() bases
// on either side, fewer only at the end of a contig. Either allele may be empty.
typedef struct {
    const char *bases;
    int64_t length, begin, end; // of the bases, and of the allele in them
} gw_motif_allele;

// Fills `changes`, which loses what it held.
gw_status gw_motif_changes_find(const gw_motif_scanner *scanner, const gw_motif_allele *ref, const gw_motif_allele *alt,
                                gw_motif_changes *changes) GW_MUST_CHECK;

#endif
