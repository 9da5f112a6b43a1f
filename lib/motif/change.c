// SPDX-License-Identifier: MIT
// Best windows of the two alleles for each motif that has a site in one of them.
#include "motif/change.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

const char *const gw_motif_effect_names[] = {"made", "broken", "stronger", "weaker"};

// A window that holds a base of the allele, or of an empty one bases on both sides.
static bool covers(const gw_motif_allele *allele, int64_t begin, int64_t width) {
    return begin < allele->end && begin + width > allele->begin;
}

static bool has_site(const gw_motif_scanner *scanner, const gw_motif_allele *allele, const gw_motif_sites *sites,
                     int32_t motif) {
    for (int64_t i = 0; i < sites->count; i++) {
        const gw_motif_site *site = &sites->items[i];
        if (site->motif == motif && covers(allele, site->begin, gw_motif_scanner_width(scanner, motif))) return true;
    }
    return false;
}

static double best_window(const gw_motif_scanner *scanner, const gw_motif_allele *allele, int32_t motif,
                          bool *reverse) {
    const int64_t width = gw_motif_scanner_width(scanner, motif);
    double best = -INFINITY;
    for (int64_t i = 0; i + width <= allele->length; i++) {
        if (!covers(allele, i, width)) continue;
        for (int strand = 0; strand < 2; strand++) {
            const double score = gw_motif_score(scanner, motif, strand == 1, allele->bases + i);
            if (score > best) best = score, *reverse = strand == 1;
        }
    }
    return best;
}

static int by_size(const void *a, const void *b) {
    const gw_motif_change *x = a, *y = b;
    const double sizes[2] = {fabs(x->alt - x->ref), fabs(y->alt - y->ref)};
    if (sizes[0] != sizes[1]) return sizes[0] > sizes[1] ? -1 : 1;
    return x->motif < y->motif ? -1 : x->motif > y->motif;
}

static gw_status compare(const gw_motif_scanner *scanner, const gw_motif_allele alleles[2],
                         const gw_motif_sites sites[2], gw_motif_changes *changes) {
    for (int a = 0; a < 2; a++)
        for (int64_t i = 0; i < sites[a].count; i++) {
            const int32_t motif = sites[a].items[i].motif;
            bool seen = !covers(&alleles[a], sites[a].items[i].begin, gw_motif_scanner_width(scanner, motif));
            for (int64_t c = 0; !seen && c < changes->count; c++) seen = changes->items[c].motif == motif;
            if (seen) continue;
            bool reverse[2] = {false, false};
            const double ref = best_window(scanner, &alleles[0], motif, &reverse[0]);
            const double alt = best_window(scanner, &alleles[1], motif, &reverse[1]);
            if (fabs(alt - ref) < 1e-6) continue; // a window on both strands: its columns are added the other way round
            const bool was = has_site(scanner, &alleles[0], &sites[0], motif);
            const bool is = has_site(scanner, &alleles[1], &sites[1], motif);
            GW_TRY(gw_reserve(&changes->items, &changes->capacity, changes->count + 1, sizeof *changes->items));
            changes->items[changes->count++] = (gw_motif_change){.motif = motif,
                                                                 .reverse = reverse[alt > ref],
                                                                 .effect = !was        ? GW_MOTIF_MADE
                                                                           : !is       ? GW_MOTIF_BROKEN
                                                                           : alt > ref ? GW_MOTIF_STRONGER
                                                                                       : GW_MOTIF_WEAKER,
                                                                 .ref = ref,
                                                                 .alt = alt};
        }
    return GW_OK;
}

gw_status gw_motif_changes_find(const gw_motif_scanner *scanner, const gw_motif_allele *ref, const gw_motif_allele *alt,
                                gw_motif_changes *changes) {
    const gw_motif_allele alleles[2] = {*ref, *alt};
    gw_motif_sites sites[2] = {{0}};
    gw_status status = GW_OK;
    changes->count = 0;
    for (int a = 0; status == GW_OK && a < 2; a++)
        status = gw_motif_scan(scanner, alleles[a].bases, alleles[a].length, &sites[a]);
    if (status == GW_OK) status = compare(scanner, alleles, sites, changes);
    if (status == GW_OK && changes->count > 1)
        qsort(changes->items, (size_t)changes->count, sizeof *changes->items, by_size);
    free(sites[0].items);
    free(sites[1].items);
    return status;
}
