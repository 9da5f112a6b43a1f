// SPDX-License-Identifier: MIT
// Motifs: the binding preference of a factor, as the probability of each base in each column of the site. Read from
// MEME's text format.
//
// The reader uses `MEME version`, `ALPHABET` (only ACGT), `strands`, `Background letter frequencies` and, for each
// `MOTIF`, the `letter-probability matrix` with alength=, w=, nsites= and E=, which are all optional. Other lines are
// skipped.
#ifndef GW_MOTIF_MOTIF_H
#define GW_MOTIF_MOTIF_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MOTIF_WIDEST = 250 }; // columns

typedef struct {
    char *id, *name;      // from the MOTIF line: MA0265.3 and ABF1; name "" if missing
    int width;            // columns, 1 .. GW_MOTIF_WIDEST
    double (*columns)[4]; // [width] probabilities of A, C, G, T, as in the file
    double sites, evalue; // nsites= (default 20) and E= (default 0)
} gw_motif;

// Zero-initialise; free with gw_motifs_free().
typedef struct {
    gw_motif *items;
    int64_t count, capacity;
    double background[4]; // of A, C, G, T, sum 1; default uniform
    bool one_strand;      // "strands: +": only the forward strand is scanned
} gw_motifs;

// Reads a plain, gzip or BGZF file. Errors name file and line: no MEME file, another alphabet, a row without four
// numbers, a column with a sum that differs from 1 by more than 0.02, a number of rows different from w=, a motif
// without a matrix, no motif at all.
gw_status gw_motifs_read(const char *path, gw_motifs *motifs) GW_MUST_CHECK;
void gw_motifs_free(gw_motifs *motifs);

#endif
