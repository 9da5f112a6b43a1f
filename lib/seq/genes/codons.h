// SPDX-License-Identifier: MIT
// The standard genetic code (NCBI's table 1), and starts of bacteria (table 11).
#ifndef GW_SEQ_GENES_CODONS_H
#define GW_SEQ_GENES_CODONS_H

#include <stdbool.h>

// The residue of three bases in upper or lower case, '*' for a stop, 'X' where one of them is not A, C, G or T.
char gw_codon_residue(const char *codon);
// The same of the codon on the other strand of these bases.
char gw_codon_residue_reverse(const char *bases);
// Whether a gene of bacteria, or of a chloroplast, may begin with it: ATN and NTG.
bool gw_codon_starts_bacteria(const char *codon);
bool gw_codon_starts_bacteria_reverse(const char *bases);

#endif
