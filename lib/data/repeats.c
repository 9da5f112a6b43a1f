// SPDX-License-Identifier: MIT
// A table of the regions' 31-mers, each with its reverse complement under one key, counts what the genome has of them.
#include "data/repeats.h"

#include "base/memory.h"

#include <stdlib.h>

enum { PIECE = 1 << 16 };

// A key is the lesser of a 31-mer and its reverse complement, which differ as 31 is odd, in 62 bits, plus 1.
typedef struct {
    uint64_t *slot; // [size] keys; 0: empty
    uint8_t *seen;  // [size] 0, 1 or 2: times seen in the genome
    uint64_t mask;  // size - 1, size a power of two
} kmer_table;

// The last 31 bases, on both strands.
typedef struct {
    uint64_t forward, reverse;
    int run; // known bases in a row
} kmer;

static bool push(kmer *k, char base) {
    static const uint64_t key_mask = ((uint64_t)1 << 2 * GW_REPEAT_LENGTH) - 1;
    uint64_t code;
    switch (base & ~0x20) {
    case 'A': code = 0; break;
    case 'C': code = 1; break;
    case 'G': code = 2; break;
    case 'T': code = 3; break;
    default: k->run = 0; return false;
    }
    k->forward = (k->forward << 2 | code) & key_mask;
    k->reverse = k->reverse >> 2 | (3 - code) << 2 * (GW_REPEAT_LENGTH - 1);
    return ++k->run >= GW_REPEAT_LENGTH;
}

static uint64_t key_of(const kmer *k) {
    return (k->forward < k->reverse ? k->forward : k->reverse) + 1;
}

// The slot of a key, or the empty one where it would stand.
static uint64_t find(const kmer_table *table, uint64_t key) {
    uint64_t at = key * 0x9E3779B97F4A7C15u;
    at = (at ^ at >> 32) & table->mask;
    while (table->slot[at] != 0 && table->slot[at] != key) at = (at + 1) & table->mask;
    return at;
}

static void insert_region(kmer_table *table, const char *bases, int64_t count) {
    kmer k = {0};
    for (int64_t i = 0; i < count; i++)
        if (push(&k, bases[i])) table->slot[find(table, key_of(&k))] = key_of(&k);
}

static void count_piece(kmer_table *table, kmer *k, const char *bases, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!push(k, bases[i])) continue;
        const uint64_t at = find(table, key_of(k));
        if (table->slot[at] != 0 && table->seen[at] < 2) table->seen[at]++;
    }
}

static gw_status count_genome(kmer_table *table, gw_genome *genome) {
    char bases[PIECE];
    for (int contig = 0; contig < gw_genome_contigs(genome); contig++) {
        const int64_t length = gw_genome_length(genome, contig);
        kmer k = {0};
        for (int64_t at = 0; at < length; at += PIECE) {
            const int64_t count = length - at < PIECE ? length - at : PIECE;
            GW_TRY(gw_genome_read_cased(genome, contig, at, at + count, bases));
            count_piece(table, &k, bases, count);
        }
    }
    return GW_OK;
}

static void mark_region(const kmer_table *table, char *bases, int64_t count) {
    kmer k = {0};
    int64_t marked = 0; // bases before it are done
    for (int64_t i = 0; i < count; i++) {
        if (!push(&k, bases[i]) || table->seen[find(table, key_of(&k))] < 2) continue;
        const int64_t begin = i + 1 - GW_REPEAT_LENGTH;
        for (int64_t at = begin > marked ? begin : marked; at <= i; at++) bases[at] |= 0x20;
        marked = i + 1;
    }
}

static gw_status mark(kmer_table *table, gw_genome_text *text, int64_t first, gw_genome *genome) {
    for (int64_t r = first; r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        insert_region(table, text->bases + region->first, region->end - region->begin);
    }
    GW_TRY(count_genome(table, genome));
    for (int64_t r = first; r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        mark_region(table, text->bases + region->first, region->end - region->begin);
    }
    return GW_OK;
}

gw_status gw_repeats_mark(gw_genome_text *text, int64_t first, gw_genome *genome) {
    const int64_t bases = first < text->region_count ? text->count - text->regions[first].first : 0;
    int64_t size = 64;
    while (size < 2 * bases) size *= 2;
    kmer_table table = {gw_alloc(size, sizeof *table.slot), gw_alloc(size, 1), (uint64_t)size - 1};
    const gw_status status = table.slot && table.seen ? mark(&table, text, first, genome) : GW_ERR_MEMORY;
    free(table.slot);
    free(table.seen);
    return status;
}
