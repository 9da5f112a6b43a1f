// SPDX-License-Identifier: MIT
// Held-out sequence: which split a window of a genome belongs to, and whether its letters occur in another split too.
#ifndef GW_LABEL_HELD_OUT_H
#define GW_LABEL_HELD_OUT_H

#include "base/status.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_SPLIT_TRAIN, GW_SPLIT_VALID, GW_SPLIT_TEST, GW_SPLIT_NONE, GW_SPLITS = GW_SPLIT_NONE } gw_set_split;
extern const char *const gw_split_names[GW_SPLITS]; // "train", "valid", "test"
// The split of that name; GW_SPLIT_NONE where it is none of them.
gw_set_split gw_split_named(const char *name);

// Merged regions that are held out; everything else is for training.
typedef struct {
    gw_regions valid, test;
    gw_regions excluded; // windows that touch these are in no split
    bool any;            // something is held out for validation or test
} gw_held_out;

// Region texts as after -r ("VII,XIII", "II:1-2000000"), each may be NULL. Validation and test must not overlap.
gw_status gw_held_out_read(gw_held_out *held_out, gw_genome *genome, const char *valid, const char *test,
                           const char *excluded) GW_MUST_CHECK;
// Cross-validation: contigs are dealt into 3 or more folds of about as many bases; those of fold `fold` (1 to folds)
// are for testing, those of the next one for validation, all others for training.
gw_status gw_held_out_fold(gw_held_out *held_out, gw_genome *genome, int64_t fold, int64_t folds,
                           const char *excluded) GW_MUST_CHECK;
void gw_held_out_free(gw_held_out *held_out);

// The split of the window [begin, end) whose labelled point (the TSS, the middle of the bin) is `point`: test or
// validation where the point lies there, except that a validation window which touches test regions has none; training
// where the window touches nothing held out; none otherwise.
gw_set_split gw_split_of_window(const gw_held_out *held_out, int contig, int64_t begin, int64_t end, int64_t point);

// Sequences that were met, by their 64-bit hashes: which of others occur among them. Zero-initialise.
typedef struct {
    uint64_t *hashes;
    int64_t count, capacity;
} gw_seen_windows;

uint64_t gw_hash_bases(const char *bases, int64_t length); // FNV-1a; or a hash of gw_window_hash()
gw_status gw_seen_windows_add(gw_seen_windows *seen, uint64_t hash) GW_MUST_CHECK;
// To be called after the last one was added, and before the first is asked for.
void gw_seen_windows_sort(gw_seen_windows *seen);
bool gw_seen_windows_has(const gw_seen_windows *seen, uint64_t hash);
// Whether a window of a split also is one of a part that it must not share sequence with: those for testing, of
// training also those for validation.
bool gw_seen_elsewhere(const gw_seen_windows seen[GW_SPLITS], gw_set_split split, uint64_t hash);
void gw_seen_windows_free(gw_seen_windows *seen);

// Hashes of windows of one width that go along a contig, the same for a sequence and its reverse complement.
//
// With letters v (A 1, C 2, G 3, T 4, N 5), their complements v' and W = width, modulo the prime p = 2^61 - 1:
//   forward  F = sum_i v_i B^(W-1-i)     window moved by a base: F <- (F - v_out B^(W-1)) B + v_in
//   reverse  R = sum_i v'_i B^i          window moved by a base: R <- (R - v'_out) / B + v'_in B^(W-1)
// R is F of the reverse complement; the hash is the smaller of the two. A window that overlaps the one before costs
// what it was moved by, not its width.
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
