// SPDX-License-Identifier: MIT
// Open addressing: a k-mer is at its hash, or behind it.
#include "seq/genome/kmers.h"

#include "base/memory.h"

#include <stdlib.h>

bool gw_kmer_push(gw_kmer *kmer, char base) {
    uint64_t code;
    switch (base & ~0x20) {
    case 'A': code = 0; break;
    case 'C': code = 1; break;
    case 'G': code = 2; break;
    case 'T': code = 3; break;
    default: kmer->run = 0; return false;
    }
    kmer->forward = (kmer->forward << 2 | code) & (((uint64_t)1 << 2 * kmer->k) - 1);
    kmer->reverse = kmer->reverse >> 2 | (3 - code) << 2 * (kmer->k - 1);
    return ++kmer->run >= kmer->k;
}

uint64_t gw_kmer_key(const gw_kmer *kmer) {
    return (kmer->forward < kmer->reverse ? kmer->forward : kmer->reverse) + 1;
}

gw_status gw_kmer_set_make(gw_kmer_set *set, int k, int64_t most) {
    int64_t size = 64;
    while (size < 2 * most) size *= 2;
    *set = (gw_kmer_set){k, gw_alloc(size, sizeof *set->slot), (uint64_t)size - 1};
    return set->slot ? GW_OK : GW_ERR_MEMORY;
}

void gw_kmer_set_free(gw_kmer_set *set) {
    free(set->slot);
    *set = (gw_kmer_set){0};
}

uint64_t gw_kmer_set_find(const gw_kmer_set *set, uint64_t key) {
    uint64_t at = key * 0x9E3779B97F4A7C15u;
    at = (at ^ at >> 32) & set->mask;
    while (set->slot[at] != 0 && set->slot[at] != key) at = (at + 1) & set->mask;
    return at;
}

int64_t gw_kmer_set_count(const gw_kmer_set *set, const char *bases, int64_t count, int64_t *of) {
    gw_kmer kmer = {.k = set->k};
    int64_t known = 0, found = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!gw_kmer_push(&kmer, bases[i])) continue;
        known++;
        found += set->slot[gw_kmer_set_find(set, gw_kmer_key(&kmer))] != 0;
    }
    if (of) *of = known;
    return found;
}

void gw_kmer_set_add(gw_kmer_set *set, const char *bases, int64_t count) {
    gw_kmer kmer = {.k = set->k};
    for (int64_t i = 0; i < count; i++)
        if (gw_kmer_push(&kmer, bases[i])) set->slot[gw_kmer_set_find(set, gw_kmer_key(&kmer))] = gw_kmer_key(&kmer);
}
