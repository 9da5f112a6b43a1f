// SPDX-License-Identifier: MIT
// The standard genetic code (NCBI's table 1), and start codons of bacteria (table 11).
#ifndef GW_SEQ_GENES_CODONS_H
#define GW_SEQ_GENES_CODONS_H

#include <stdbool.h>

// The residue of three bases in upper or lower case; '*': stop codon; 'X': a base is not A, C, G or T.
char gw_codon_residue(const char *codon);
// The same for the codon on the opposite strand of these bases.
char gw_codon_residue_reverse(const char *bases);
// Whether the codon is a possible start in bacteria and chloroplasts: ATN and NTG.
bool gw_codon_starts_bacteria(const char *codon);
bool gw_codon_starts_bacteria_reverse(const char *bases);

#endif
