// SPDX-License-Identifier: MIT
// Repeats of a genome by counting: bases that lie in a 31-mer which occurs at least twice in the genome, on either
// strand. Counts what the genome has of the regions' 31-mers.
#include "data/genome_text.h"

#include "base/memory.h"
#include "seq/genome/kmers.h"

#include <stdlib.h>

enum { REPEAT_LENGTH = 31, PIECE = 1 << 16 };

typedef struct {
    gw_kmer_set set;
    uint8_t *seen; // [set.mask + 1] times in the genome: 0, 1, or 2 for more
} kmer_counts;

static void count_piece(kmer_counts *counts, gw_kmer *kmer, const char *bases, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!gw_kmer_push(kmer, bases[i])) continue;
        const uint64_t at = gw_kmer_set_find(&counts->set, gw_kmer_key(kmer));
        if (counts->set.slot[at] != 0 && counts->seen[at] < 2) counts->seen[at]++;
    }
}

static gw_status count_genome(kmer_counts *counts, gw_genome *genome) {
    char bases[PIECE];
    for (int contig = 0; contig < gw_genome_contigs(genome); contig++) {
        const int64_t length = gw_genome_length(genome, contig);
        gw_kmer kmer = {.k = REPEAT_LENGTH};
        for (int64_t at = 0; at < length; at += PIECE) {
            const int64_t count = length - at < PIECE ? length - at : PIECE;
            GW_TRY(gw_genome_read_cased(genome, contig, at, at + count, bases));
            count_piece(counts, &kmer, bases, count);
        }
    }
    return GW_OK;
}

static void mark_region(const kmer_counts *counts, char *bases, int64_t count) {
    gw_kmer kmer = {.k = REPEAT_LENGTH};
    int64_t marked = 0; // bases before it are done
    for (int64_t i = 0; i < count; i++) {
        if (!gw_kmer_push(&kmer, bases[i]) || counts->seen[gw_kmer_set_find(&counts->set, gw_kmer_key(&kmer))] < 2)
            continue;
        const int64_t begin = i + 1 - REPEAT_LENGTH;
        for (int64_t at = begin > marked ? begin : marked; at <= i; at++) bases[at] |= 0x20;
        marked = i + 1;
    }
}

static gw_status mark(kmer_counts *counts, gw_genome_text *text, int64_t first, gw_genome *genome) {
    counts->seen = gw_alloc((int64_t)counts->set.mask + 1, 1);
    if (!counts->seen) return GW_ERR_MEMORY;
    for (int64_t r = first; r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        gw_kmer_set_add(&counts->set, text->bases + region->first, region->end - region->begin);
    }
    GW_TRY(count_genome(counts, genome));
    for (int64_t r = first; r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        mark_region(counts, text->bases + region->first, region->end - region->begin);
    }
    return GW_OK;
}

gw_status gw_repeats_mark(gw_genome_text *text, int64_t first, gw_genome *genome) {
    const int64_t bases = first < text->region_count ? text->count - text->regions[first].first : 0;
    kmer_counts counts = {0};
    gw_status status = gw_kmer_set_make(&counts.set, REPEAT_LENGTH, bases);
    if (status == GW_OK) status = mark(&counts, text, first, genome);
    gw_kmer_set_free(&counts.set);
    free(counts.seen);
    return status;
}
