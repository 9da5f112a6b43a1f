// SPDX-License-Identifier: MIT
// Reads regions with their case, then puts repeats, and nothing else, in lower case.
#include "data/genome_text.h"

#include "base/memory.h"
#include "file/digest.h"
#include "seq/genome/regions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void gw_genome_text_free(gw_genome_text *text) {
    free(text->bases);
    free(text->regions);
    gw_contig_sizes_free(&text->genomes);
    *text = (gw_genome_text){0};
}

static gw_status add_region(gw_genome_text *text, gw_genome *genome, const gw_region *region) {
    const int64_t length = region->end - region->begin;
    if (length == 0) return GW_OK;
    GW_TRY(gw_reserve(&text->bases, &text->capacity, text->count + length, 1));
    GW_TRY(gw_reserve(&text->regions, &text->region_capacity, text->region_count + 1, sizeof *text->regions));
    GW_TRY(gw_genome_read_cased(genome, region->contig, region->begin, region->end, text->bases + text->count));
    text->regions[text->region_count++] =
        (gw_text_region){text->parts, region->contig, region->begin, region->end, text->count};
    text->count += length;
    return GW_OK;
}

// How many of the bases behind `first` are upper case and lower case, N left out.
static void count_cases(const gw_genome_text *text, int64_t first, int64_t of_case[2]) {
    for (int64_t i = first; i < text->count; i++)
        if (toupper(text->bases[i]) != 'N') of_case[gw_text_is_repeat(text->bases[i])]++;
}

static gw_status check_cases(const gw_genome_text *text, int64_t first, const gw_genome_source *part) {
    int64_t of_case[2] = {0};
    count_cases(text, first, of_case);
    const char *where = part->regions ? part->regions : part->fasta;
    if (of_case[0] + of_case[1] == 0) return gw_fail(GW_ERR_FORMAT, "%s: no base but N", where);
    if (!part->soft_masked || (of_case[0] > 0 && of_case[1] > 0)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s is not soft-masked: its letters are all of %s case", part->fasta,
                   of_case[0] > 0 ? "upper" : "lower");
}

// The regions of the last part, from number `first` on, become lower case where the BED's do.
static gw_status mark_rows(gw_genome_text *text, int64_t first, gw_genome *genome, const char *bed) {
    gw_regions rows = {0};
    const gw_status status = gw_regions_read_bed(&rows, genome, bed);
    if (status == GW_OK) gw_regions_merge(&rows);
    for (int64_t r = first; status == GW_OK && r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        char *bases = text->bases + region->first;
        for (int64_t i = gw_regions_first(&rows, region->contig, region->begin);
             i < rows.count && rows.items[i].contig == region->contig && rows.items[i].begin < region->end; i++) {
            const int64_t begin = rows.items[i].begin > region->begin ? rows.items[i].begin : region->begin,
                          end = rows.items[i].end < region->end ? rows.items[i].end : region->end;
            for (int64_t at = begin; at < end; at++) bases[at - region->begin] |= 0x20;
        }
    }
    gw_regions_free(&rows);
    return status;
}

static gw_status mark(gw_genome_text *text, int64_t first_region, int64_t first_base, gw_genome *genome,
                      const gw_genome_source *part) {
    if (!part->soft_masked)
        for (int64_t i = first_base; i < text->count; i++) text->bases[i] &= (char)~0x20;
    if (!part->repeats) return GW_OK;
    if (strcmp(part->repeats, GW_REPEATS_SELF) == 0) return gw_repeats_mark(text, first_region, genome);
    return mark_rows(text, first_region, genome, part->repeats);
}

static gw_status choose(gw_regions *regions, gw_genome *genome, const gw_genome_source *part) {
    char *targets = part->without ? gw_strprintf("^%s", part->without) : NULL;
    if (part->without && !targets) return GW_ERR_MEMORY;
    const gw_region_choice choice = {.regions_file = part->regions, .targets_file = targets};
    const gw_status status = gw_regions_choose(regions, genome, &choice);
    if (status == GW_OK) gw_regions_merge(regions);
    free(targets);
    return status;
}

static gw_status add_part(gw_genome_text *text, gw_genome *genome, const gw_genome_source *part) {
    const int64_t first_region = text->region_count, first_base = text->count;
    gw_regions regions = {0};
    gw_status status = choose(&regions, genome, part);
    for (int64_t i = 0; status == GW_OK && i < regions.count; i++) status = add_region(text, genome, &regions.items[i]);
    gw_regions_free(&regions);
    if (status == GW_OK) status = check_cases(text, first_base, part);
    if (status == GW_OK) status = mark(text, first_region, first_base, genome, part);
    text->parts++;
    return status;
}

gw_status gw_genome_text_add(gw_genome_text *text, const gw_genome_source *part) {
    gw_genome *genome;
    GW_TRY(gw_genome_open(part->fasta, &genome));
    gw_status status = add_part(text, genome, part);
    if (status == GW_OK) status = gw_contig_sizes_add(&text->genomes, genome);
    gw_genome_close(genome);
    return status;
}

int64_t gw_text_region_of(const int64_t *before, int64_t regions, int64_t at) {
    int64_t low = 0, high = regions; // before[low] <= at < before[high]
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (before[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

gw_status gw_genome_text_digest(const gw_genome_text *text, char hex[33]) {
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    for (int64_t r = 0; r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        const int64_t place[4] = {region->genome, region->contig, region->begin, region->end};
        gw_md5_add(md5, place, sizeof place);
    }
    gw_md5_add(md5, text->bases, text->count);
    gw_md5_finish_hex(md5, hex);
    return GW_OK;
}
