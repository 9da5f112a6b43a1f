// SPDX-License-Identifier: MIT
// Motifs: what a factor binds, as the probability of each base in each column of the site. Read from MEME's text
// format.
//
// Read are `MEME version`, `ALPHABET` (ACGT alone), `strands`, `Background letter frequencies` and, of each `MOTIF`,
// the `letter-probability matrix` with alength=, w=, nsites= and E=, each of which may be missing; other lines are
// skipped.
#ifndef GW_MOTIF_MOTIF_H
#define GW_MOTIF_MOTIF_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MOTIF_WIDEST = 250 }; // columns

typedef struct {
    char *id, *name;      // of the MOTIF line: MA0265.3 and ABF1; name "" where there is none
    int width;            // columns, 1 .. GW_MOTIF_WIDEST
    double (*columns)[4]; // [width] probabilities of A, C, G, T, as the file has them
    double sites, evalue; // nsites= (20 where it is missing) and E= (0)
} gw_motif;

// Zero-initialise; free with gw_motifs_free().
typedef struct {
    gw_motif *items;
    int64_t count, capacity;
    double background[4]; // of A, C, G, T, sum 1; uniform where the file does not say
    bool one_strand;      // "strands: +": sites are looked for on the forward strand alone
} gw_motifs;

// Plain, gzip or BGZF. Errors name file and line: no MEME file, another alphabet, a row without four numbers, a column
// that does not sum to 1 (to 0.02), more or fewer rows than w=, a motif without matrix, no motif at all.
gw_status gw_motifs_read(const char *path, gw_motifs *motifs) GW_MUST_CHECK;
void gw_motifs_free(gw_motifs *motifs);

#endif
