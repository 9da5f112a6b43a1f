// SPDX-License-Identifier: MIT
// Held-out sequence: the split of a window of a genome, and whether its sequence also occurs in another split.
#ifndef GW_LABEL_HELD_OUT_H
#define GW_LABEL_HELD_OUT_H

#include "base/status.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_SPLIT_TRAIN, GW_SPLIT_VALID, GW_SPLIT_TEST, GW_SPLIT_NONE, GW_SPLITS = GW_SPLIT_NONE } gw_set_split;
extern const char *const gw_split_names[GW_SPLITS]; // "train", "valid", "test"
// The split with this name; GW_SPLIT_NONE for other names.
gw_set_split gw_split_named(const char *name);

// Merged held-out regions. All other sequence is for training.
typedef struct {
    gw_regions valid, test;
    gw_regions excluded; // windows that touch these belong to no split
    bool any;            // whether anything is held out for validation or test
} gw_held_out;

// Reads regions as for -r ("VII,XIII", "II:1-2000000"); each text may be NULL. Validation and test must not overlap.
gw_status gw_held_out_read(gw_held_out *held_out, gw_genome *genome, const char *valid, const char *test,
                           const char *excluded) GW_MUST_CHECK;
// Cross-validation: contigs are divided into 3 or more folds with about equal numbers of bases. Fold `fold` (1 to
// folds) is for testing, the next fold for validation, all others for training.
gw_status gw_held_out_fold(gw_held_out *held_out, gw_genome *genome, int64_t fold, int64_t folds,
                           const char *excluded) GW_MUST_CHECK;
void gw_held_out_free(gw_held_out *held_out);

// The split of window [begin, end) with labelled point `point` (the TSS, the middle of the bin). Test or validation:
// the point lies in its regions; but a validation window that touches test regions has no split. Training: the window
// touches no held-out region. Otherwise none.
gw_set_split gw_split_of_window(const gw_held_out *held_out, int contig, int64_t begin, int64_t end, int64_t point);

// A set of sequences, by their 64-bit hashes. Zero-initialise.
typedef struct {
    uint64_t *hashes;
    int64_t count, capacity;
} gw_seen_windows;

uint64_t gw_hash_bases(const char *bases, int64_t length); // FNV-1a; or a hash of gw_window_hash()
gw_status gw_seen_windows_add(gw_seen_windows *seen, uint64_t hash) GW_MUST_CHECK;
// Call this after the last gw_seen_windows_add() and before the first gw_seen_windows_has().
void gw_seen_windows_sort(gw_seen_windows *seen);
bool gw_seen_windows_has(const gw_seen_windows *seen, uint64_t hash);
// Whether a window of a split also occurs in a split with which it must not share sequence: the test split, and for
// training windows also the validation split.
bool gw_seen_elsewhere(const gw_seen_windows seen[GW_SPLITS], gw_set_split split, uint64_t hash);
void gw_seen_windows_free(gw_seen_windows *seen);

// Rolling hashes of windows of one width along a contig. A sequence and its reverse complement have the same hash.
//
// With letters v (A 1, C 2, G 3, T 4, N 5), their complements v' and W = width, modulo the prime p = 2^61 - 1:
//   forward  F = sum_i v_i B^(W-1-i)     window moved by a base: F <- (F - v_out B^(W-1)) B + v_in
//   reverse  R = sum_i v'_i B^i          window moved by a base: R <- (R - v'_out) / B + v'_in B^(W-1)
// R is F of the reverse complement. The hash is the smaller of the two. The cost of an overlapping window depends on
// its shift, not on its width.
enum { GW_HASH_LETTERS = 6 };

typedef struct {
    gw_genome *genome; // borrowed
    int64_t width;     // bp
    int contig;        // of the last window; -1: none
    int64_t begin;     // of the last window
    uint64_t forward, reverse;
    uint64_t inverse;               // 1 / B
    uint64_t last[GW_HASH_LETTERS]; // v B^(W-1)
    char *out, *in;                 // [width] bases that leave and enter the window
} gw_window_hashes;

gw_status gw_window_hashes_new(gw_window_hashes *hashes, gw_genome *genome, int64_t width) GW_MUST_CHECK;
void gw_window_hashes_free(gw_window_hashes *hashes); // zeros are fine
// The hash of [begin, begin + width), which must lie on the contig.
gw_status gw_window_hash(gw_window_hashes *hashes, int contig, int64_t begin, uint64_t *hash) GW_MUST_CHECK;

#endif
