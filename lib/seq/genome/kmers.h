// SPDX-License-Identifier: MIT
// Sets of k-mers. A k-mer and its reverse complement are the same.
#ifndef GW_SEQ_GENOME_KMERS_H
#define GW_SEQ_GENOME_KMERS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// The last k bases, k at most 31, on both strands.
typedef struct {
    int k;
    int run; // known bases in a row
    uint64_t forward, reverse;
} gw_kmer;

// Appends a base, in either case. Returns whether the last k bases are known, so that there is a key.
bool gw_kmer_push(gw_kmer *kmer, char base);
// The key: the smaller of the k-mer and its reverse complement, 2 bits a base, plus 1.
uint64_t gw_kmer_key(const gw_kmer *kmer);

typedef struct {
    int k;
    uint64_t *slot; // [mask + 1] keys; 0: empty
    uint64_t mask;  // a power of two minus 1
} gw_kmer_set;

// Allocates space for `most` k-mers: 16 to 32 bytes each. Free `set` with gw_kmer_set_free(), also after a failure.
gw_status gw_kmer_set_make(gw_kmer_set *set, int k, int64_t most) GW_MUST_CHECK;
void gw_kmer_set_free(gw_kmer_set *set);
// Index of the slot with the key, or of the empty slot for it.
uint64_t gw_kmer_set_find(const gw_kmer_set *set, uint64_t key);
void gw_kmer_set_add(gw_kmer_set *set, const char *bases, int64_t count); // adds all k-mers of a text
// The number of a text's k-mers in the set. *of (unless NULL) becomes the number of its k-mers.
int64_t gw_kmer_set_count(const gw_kmer_set *set, const char *bases, int64_t count, int64_t *of);

#endif
