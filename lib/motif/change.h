// SPDX-License-Identifier: MIT
// Motif sites that another allele makes, breaks, strengthens or weakens.
#ifndef GW_MOTIF_CHANGE_H
#define GW_MOTIF_CHANGE_H

#include "motif/scan.h"

typedef enum { GW_MOTIF_MADE, GW_MOTIF_BROKEN, GW_MOTIF_STRONGER, GW_MOTIF_WEAKER } gw_motif_effect;
extern const char *const gw_motif_effect_names[]; // "made", "broken", "stronger", "weaker"

// A motif with a site in at least one allele: its best window over the changed bases, on either strand.
typedef struct {
    int32_t motif;
    bool reverse; // strand of the better of the two alleles' windows
    gw_motif_effect effect;
    double ref, alt; // scores of the best windows in bits; -INFINITY: no window without N
} gw_motif_change;

// Zero-initialise; free() the items.
typedef struct {
    gw_motif_change *items; // the largest |alt - ref| first, equal ones by motif
    int64_t count, capacity;
} gw_motif_changes;

// Bases of an allele in upper case, with gw_motif_scanner_reach() bases on either side, the same for both alleles;
// fewer only at the end of a contig. The allele may be empty.
typedef struct {
    const char *bases;
    int64_t length, begin, end; // of the bases; range of the allele in them
} gw_motif_allele;

// Fills `changes` and replaces earlier content.
gw_status gw_motif_changes_find(const gw_motif_scanner *scanner, const gw_motif_allele *ref, const gw_motif_allele *alt,
                                gw_motif_changes *changes) GW_MUST_CHECK;

#endif
