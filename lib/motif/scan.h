// SPDX-License-Identifier: MIT
// Sites of motifs in sequences, as FIMO finds them (Grant, Bailey, Noble, Bioinformatics 2011).
//
// The score of a site is the sum over its columns of log2((p + 0.0001) / background). The p-value is the probability
// that random sequence scores at least as much, computed by dynamic programming over scores rounded to a tenth in each
// column. The reverse strand is scanned with the reverse complement. Sites do not contain N.
#ifndef GW_MOTIF_SCAN_H
#define GW_MOTIF_SCAN_H

#include "motif/motif.h"

typedef struct gw_motif_scanner gw_motif_scanner;

typedef struct {
    int64_t begin; // of the site in the sequence, 0-based, on the forward strand
    int32_t motif;
    bool reverse;
    double score, p_value; // bits; below the threshold
} gw_motif_site;

// Zero-initialise; free() the items.
typedef struct {
    gw_motif_site *items;
    int64_t count, capacity;
} gw_motif_sites;

// p_value: only sites below it are reported, 0 < p <= 1. The background is that of the motifs. If both strands are
// scanned, A and T are made equal, and C and G, because a reverse complement exchanges them. Motifs that cannot reach
// the p-value have no sites.
gw_status gw_motif_scanner_make(const gw_motifs *motifs, double p_value, bool one_strand,
                                gw_motif_scanner **out) GW_MUST_CHECK;
void gw_motif_scanner_free(gw_motif_scanner *scanner); // NULL is fine

// width: a motif's width. score: the score of a window on a strand, -INFINITY if it holds N or the strand is not
// scanned.
int64_t gw_motif_scanner_width(const gw_motif_scanner *scanner, int32_t motif);
int64_t gw_motif_scanner_reach(const gw_motif_scanner *scanner); // width of the widest motif minus 1
double gw_motif_score(const gw_motif_scanner *scanner, int32_t motif, bool reverse, const char *bases);

// Appends the sites in a sequence of upper-case bases, sorted by begin, motif and strand. Uses all threads. The result
// does not depend on their number.
gw_status gw_motif_scan(const gw_motif_scanner *scanner, const char *bases, int64_t count,
                        gw_motif_sites *sites) GW_MUST_CHECK;

#endif
