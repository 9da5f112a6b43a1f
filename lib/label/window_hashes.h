// SPDX-License-Identifier: MIT
// Hashes of windows of one width that go along a contig, the same for a sequence and its reverse complement.
//
// With letters v (A 1, C 2, G 3, T 4, N 5), their complements v' and W = width, modulo the prime p = 2^61 - 1:
//   forward  F = sum_i v_i B^(W-1-i)     window moved by a base: F <- (F - v_out B^(W-1)) B + v_in
//   reverse  R = sum_i v'_i B^i          window moved by a base: R <- (R - v'_out) / B + v'_in B^(W-1)
// R is F of the reverse complement; the hash is the smaller of the two. A window that overlaps the one before costs
// what it was moved by, not its width.
#ifndef GW_LABEL_WINDOW_HASHES_H
#define GW_LABEL_WINDOW_HASHES_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdint.h>

enum { GW_HASH_LETTERS = 6 };

typedef struct {
    gw_genome *genome; // borrowed
    int64_t width;     // bp
    int contig;        // of the last window; -1: none
    int64_t begin;     // of the last window
    uint64_t forward, reverse;
    uint64_t inverse;               // 1 / B
    uint64_t last[GW_HASH_LETTERS]; // v B^(W-1)
    char *out, *in;                 // [width] bases that leave and enter
} gw_window_hashes;

gw_status gw_window_hashes_new(gw_window_hashes *hashes, gw_genome *genome, int64_t width) GW_MUST_CHECK;
void gw_window_hashes_free(gw_window_hashes *hashes); // zeros are fine
// Of [begin, begin + width), which must lie on the contig.
gw_status gw_window_hash(gw_window_hashes *hashes, int contig, int64_t begin, uint64_t *hash) GW_MUST_CHECK;

#endif
