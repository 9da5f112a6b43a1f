// SPDX-License-Identifier: MIT
// Goes over each region once: a shared 24-mer widens the stretch that is left out, or begins another.
#include "data/homologs.h"

#include "base/memory.h"
#include "seq/genome/kmers.h"

#include <stdlib.h>

// Regions that stay.
typedef struct {
    gw_text_region *items;
    int64_t count, capacity;
} region_list;

// Bases [begin, end) of a region.
static gw_status keep(region_list *kept, gw_text_region region, int64_t begin, int64_t end) {
    if (begin >= end) return GW_OK;
    GW_TRY(gw_reserve(&kept->items, &kept->capacity, kept->count + 1, sizeof *kept->items));
    region.first += begin;
    region.end = region.begin + end;
    region.begin += begin;
    kept->items[kept->count++] = region;
    return GW_OK;
}

static gw_status cut_region(region_list *kept, const gw_genome_text *text, const gw_text_region *region,
                            const gw_kmer_set *held_out) {
    const int64_t count = region->end - region->begin;
    gw_kmer kmer = {.k = GW_HOMOLOG_LENGTH};
    int64_t from = 0; // what follows the stretches left out so far
    for (int64_t i = 0; i < count; i++) {
        if (!gw_kmer_push(&kmer, text->bases[region->first + i])) continue;
        if (held_out->slot[gw_kmer_set_find(held_out, gw_kmer_key(&kmer))] == 0) continue;
        const int64_t begin = i + 1 - GW_HOMOLOG_LENGTH - GW_HOMOLOG_MARGIN;
        GW_TRY(keep(kept, *region, from, begin));
        from = i + 1 + GW_HOMOLOG_MARGIN;
    }
    return keep(kept, *region, from, count);
}

static gw_status cut(gw_genome_text *text, const gw_kmer_set *held_out, int64_t *bases) {
    region_list kept = {0};
    gw_status status = GW_OK;
    *bases = 0;
    for (int64_t r = 0; status == GW_OK && r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        *bases += region->end - region->begin;
        status = region->genome > 0 ? cut_region(&kept, text, region, held_out)
                                    : keep(&kept, *region, 0, region->end - region->begin);
    }
    for (int64_t r = 0; r < kept.count; r++) *bases -= kept.items[r].end - kept.items[r].begin;
    if (status != GW_OK) {
        free(kept.items);
        return status;
    }
    free(text->regions);
    text->regions = kept.items;
    text->region_count = kept.count;
    text->region_capacity = kept.capacity;
    return GW_OK;
}

gw_status gw_homologs_cut(gw_genome_text *text, const gw_genome_text *held_out, int64_t *bases) {
    gw_kmer_set set;
    gw_status status = gw_kmer_set_make(&set, GW_HOMOLOG_LENGTH, held_out->count);
    for (int64_t r = 0; status == GW_OK && r < held_out->region_count; r++) {
        const gw_text_region *region = &held_out->regions[r];
        gw_kmer_set_add(&set, held_out->bases + region->first, region->end - region->begin);
    }
    if (status == GW_OK) status = cut(text, &set, bases);
    gw_kmer_set_free(&set);
    return status;
}
