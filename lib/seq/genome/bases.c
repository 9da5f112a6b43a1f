// SPDX-License-Identifier: MIT
// Letters: c & 0xDF joins a letter's two cases and no other byte becomes A, C, G, T or U by it.
#include "seq/genome/genome.h"

// Bases done at once, a constant so that compilers use vectors for the inner loop at -O2.
enum { BLOCK = 64 };

static inline unsigned char normal(unsigned char c) {
    unsigned char upper = c & 0xDF;
    upper = upper == 'U' ? 'T' : upper;
    const unsigned char known = (upper == 'A') | (upper == 'C') | (upper == 'G') | (upper == 'T');
    return known ? upper : 'N';
}

void gw_normalise_bases(char *bases, int64_t length) {
    unsigned char *c = (unsigned char *)bases;
    int64_t i = 0;
    for (; i + BLOCK <= length; i += BLOCK)
        for (int j = 0; j < BLOCK; j++) c[i + j] = normal(c[i + j]);
    for (; i < length; i++) c[i] = normal(c[i]);
}

void gw_normalise_cased_bases(char *bases, int64_t length) {
    unsigned char *c = (unsigned char *)bases;
    for (int64_t i = 0; i < length; i++) c[i] = normal(c[i]) | (c[i] & 0x20);
}

void gw_reverse_complement(const char *bases, int64_t length, char *out) {
    // By the letter's low five bits: A 1, C 3, G 7, T 20.
    static const char complement[33] = "NTNGNNNCNNNNNNNNNNNNANNNNNNNNNNN";
    for (int64_t i = 0; i < length; i++) out[i] = complement[bases[length - 1 - i] & 31];
}
