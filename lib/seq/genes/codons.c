// SPDX-License-Identifier: MIT
// Codons are numbered with their first base slowest, in the order T, C, A, G, as in printed tables of the code.
#include "seq/genes/codons.h"

#include <ctype.h>

enum { T, C, A, G };

static int index_of(char base) {
    switch (toupper((unsigned char)base)) {
    case 'T': return T;
    case 'C': return C;
    case 'A': return A;
    case 'G': return G;
    default: return -1;
    }
}

static char residue_of(int first, int second, int third) {
    static const char rows[16][5] = {"FFLL", "SSSS", "YY**", "CC*W", "LLLL", "PPPP", "HHQQ", "RRRR",
                                     "IIIM", "TTTT", "NNKK", "SSRR", "VVVV", "AAAA", "DDEE", "GGGG"};
    return first < 0 || second < 0 || third < 0 ? 'X' : rows[4 * first + second][third];
}

char gw_codon_residue(const char *codon) {
    return residue_of(index_of(codon[0]), index_of(codon[1]), index_of(codon[2]));
}

// In that order the complement of base i is (i + 2) mod 4.
static int complement_of(char base) {
    const int i = index_of(base);
    return i < 0 ? i : (i + 2) % 4;
}

char gw_codon_residue_reverse(const char *bases) {
    return residue_of(complement_of(bases[2]), complement_of(bases[1]), complement_of(bases[0]));
}

static bool starts_bacteria(int first, int second, int third) {
    return first >= 0 && second == T && third >= 0 && (first == A || third == G);
}

bool gw_codon_starts_bacteria(const char *codon) {
    return starts_bacteria(index_of(codon[0]), index_of(codon[1]), index_of(codon[2]));
}

bool gw_codon_starts_bacteria_reverse(const char *bases) {
    return starts_bacteria(complement_of(bases[2]), complement_of(bases[1]), complement_of(bases[0]));
}
