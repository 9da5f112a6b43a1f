// SPDX-License-Identifier: MIT
// Reads regions with their case, puts repeats in lower case, cuts homologs out, and cuts windows and tiles.
#include "data/genome_text.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "file/digest.h"
#include "seq/genome/kmers.h"
#include "seq/genome/regions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// --- repeats by counting --------------------------------------------------------------------------------------------
//
// Bases that lie in a 31-mer which occurs at least twice in the genome, on either
// strand. Counts what the genome has of the regions' 31-mers.
enum { REPEAT_LENGTH = 31, PIECE = 1 << 16 };

typedef struct {
    gw_kmer_set set;
    uint8_t *seen; // [set.mask + 1] times in the genome: 0, 1, or 2 for more
} kmer_counts;

static gw_status count_genome(kmer_counts *counts, gw_genome *genome) {
    char bases[PIECE];
    for (int contig = 0; contig < gw_genome_contigs(genome); contig++) {
        const int64_t length = gw_genome_length(genome, contig);
        gw_kmer kmer = {.k = REPEAT_LENGTH};
        for (int64_t at = 0; at < length; at += PIECE) {
            const int64_t count = gw_min(length - at, PIECE);
            GW_TRY(gw_genome_read_cased(genome, contig, at, at + count, bases));
            for (int64_t i = 0; i < count; i++) {
                if (!gw_kmer_push(&kmer, bases[i])) continue;
                const uint64_t slot = gw_kmer_set_find(&counts->set, gw_kmer_key(&kmer));
                if (counts->set.slot[slot] != 0 && counts->seen[slot] < 2) counts->seen[slot]++;
            }
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
        for (int64_t at = gw_max(i + 1 - REPEAT_LENGTH, marked); at <= i; at++) bases[at] |= 0x20;
        marked = i + 1;
    }
}

// In the regions from number `first` on, which were read from `genome`. The whole genome is read; memory is 18 to 36
// bytes a base of these regions.
static gw_status mark_repeats(gw_genome_text *text, int64_t first, gw_genome *genome) {
    const int64_t bases = first < text->region_count ? text->count - text->regions[first].first : 0;
    kmer_counts counts = {0};
    gw_status status = gw_kmer_set_make(&counts.set, REPEAT_LENGTH, bases);
    if (status == GW_OK && !(counts.seen = gw_alloc((int64_t)counts.set.mask + 1, 1))) status = GW_ERR_MEMORY;
    for (int64_t r = first; status == GW_OK && r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        gw_kmer_set_add(&counts.set, text->bases + region->first, region->end - region->begin);
    }
    if (status == GW_OK) status = count_genome(&counts, genome);
    for (int64_t r = first; status == GW_OK && r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        mark_region(&counts, text->bases + region->first, region->end - region->begin);
    }
    gw_kmer_set_free(&counts.set);
    free(counts.seen);
    return status;
}

// --- regions with their case; repeats, and nothing else, in lower case ----------------------------------------------

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
            const int64_t begin = gw_max(rows.items[i].begin, region->begin),
                          end = gw_min(rows.items[i].end, region->end);
            for (int64_t at = begin; at < end; at++) bases[at - region->begin] |= 0x20;
        }
    }
    gw_regions_free(&rows);
    return status;
}

static gw_status add_part(gw_genome_text *text, gw_genome *genome, const gw_genome_source *part) {
    const int64_t first_region = text->region_count, first_base = text->count;
    char *targets = part->without ? gw_strprintf("^%s", part->without) : NULL;
    if (part->without && !targets) return GW_ERR_MEMORY;
    const gw_region_choice choice = {.regions_file = part->regions, .targets_file = targets};
    gw_regions regions = {0};
    gw_status status = gw_regions_choose(&regions, genome, &choice);
    if (status == GW_OK) gw_regions_merge(&regions);
    for (int64_t i = 0; status == GW_OK && i < regions.count; i++) status = add_region(text, genome, &regions.items[i]);
    gw_regions_free(&regions);
    free(targets);
    text->parts++;
    if (status != GW_OK) return status;
    int64_t of_case[2] = {0}; // upper and lower, N left out
    for (int64_t i = first_base; i < text->count; i++)
        if (toupper(text->bases[i]) != 'N') of_case[gw_text_is_repeat(text->bases[i])]++;
    if (of_case[0] + of_case[1] == 0)
        return gw_fail(GW_ERR_FORMAT, "%s: no base but N", part->regions ? part->regions : part->fasta);
    if (part->soft_masked && (of_case[0] == 0 || of_case[1] == 0))
        return gw_fail(GW_ERR_FORMAT, "%s is not soft-masked: its letters are all of %s case", part->fasta,
                       of_case[0] > 0 ? "upper" : "lower");
    if (!part->soft_masked)
        for (int64_t i = first_base; i < text->count; i++) text->bases[i] &= (char)~0x20;
    if (!part->repeats) return GW_OK;
    if (strcmp(part->repeats, GW_REPEATS_SELF) == 0) return mark_repeats(text, first_region, genome);
    return mark_rows(text, first_region, genome, part->repeats);
}

gw_status gw_genome_text_add(gw_genome_text *text, const gw_genome_source *part) {
    gw_genome *genome;
    GW_TRY(gw_genome_open(part->fasta, &genome));
    gw_status status = add_part(text, genome, part);
    if (status == GW_OK) status = gw_contig_sizes_add(&text->genomes, genome);
    gw_genome_close(genome);
    return status;
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

// --- homologs -------------------------------------------------------------------------------------------------------
//
// Goes over each region once: a shared 24-mer widens the stretch that is left out, or begins another.

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

// --- windows: a number among all is drawn, and the one that has it cut out ------------------------------------------

// The region r with before[r] <= at < before[r + 1], for ascending before[0] = 0 .. before[regions].
static int64_t region_of(const int64_t *before, int64_t regions, int64_t at) {
    return GW_FIRST_NOT(r, regions, before[r + 1] <= at);
}

enum { MOST_DRAWS = 16 };

gw_status gw_genome_windows_make(gw_genome_windows *windows, const gw_genome_text *text, int64_t length,
                                 uint64_t seed) {
    *windows = (gw_genome_windows){.text = text, .length = length, .seed = seed};
    windows->before = gw_alloc(text->region_count + 1, sizeof *windows->before);
    if (!windows->before) return GW_ERR_MEMORY;
    for (int64_t r = 0; r < text->region_count; r++)
        windows->before[r + 1] =
            windows->before[r] + gw_max(text->regions[r].end - text->regions[r].begin - length + 1, 1);
    return GW_OK;
}

void gw_genome_windows_free(gw_genome_windows *windows) {
    free(windows->before);
    *windows = (gw_genome_windows){0};
}

static bool mostly_unknown(const char *bases, int64_t count) {
    int64_t unknown = 0;
    for (int64_t i = 0; i < count; i++) unknown += (bases[i] & ~0x20) == 'N';
    return 2 * unknown > count;
}

gw_genome_window gw_genome_window_draw(const gw_genome_windows *windows, int64_t number) {
    gw_random random = gw_random_at(windows->seed, GW_SITE_WINDOW, (uint64_t)number, 0);
    gw_genome_window window;
    int draws = 0;
    do {
        const int64_t regions = windows->text->region_count;
        const uint64_t drawn = gw_random_below(&random, 2 * (uint64_t)windows->before[regions]);
        const int64_t at = (int64_t)(drawn / 2), r = region_of(windows->before, regions, at);
        const gw_text_region *region = &windows->text->regions[r];
        window = (gw_genome_window){.region = region,
                                    .begin = region->first + at - windows->before[r],
                                    .count = gw_min(region->end - region->begin, windows->length),
                                    .reverse = drawn % 2};
    } while (++draws < MOST_DRAWS && mostly_unknown(windows->text->bases + window.begin, window.count));
    return window;
}

// Complements letters of either case, which they keep.
static char complement(char base) {
    static const char of[33] = "NTNGNNNCNNNNNNNNNNNNANNNNNNNNNNN"; // by the low five bits: A 1, C 3, G 7, T 20
    return (char)(of[base & 31] | (base & 0x20));
}

void gw_genome_window_read(const gw_genome_text *text, gw_genome_window window, char *bases) {
    const char *from = text->bases + window.begin;
    if (!window.reverse) memcpy(bases, from, (size_t)window.count);
    for (int64_t i = 0; window.reverse && i < window.count; i++) bases[i] = complement(from[window.count - 1 - i]);
}

// --- tiles: a tile's number gives its region and its place there ----------------------------------------------------

// How far windows begin apart.
static int64_t stride(int64_t length) {
    return length > 1 ? length / 2 : 1;
}

gw_status gw_genome_tiles_make(gw_genome_tiles *tiles, const gw_genome_text *text, int64_t length) {
    *tiles = (gw_genome_tiles){.text = text, .length = length};
    tiles->before = gw_alloc(text->region_count + 1, sizeof *tiles->before);
    if (!tiles->before) return GW_ERR_MEMORY;
    for (int64_t r = 0; r < text->region_count; r++) {
        const int64_t beyond = text->regions[r].end - text->regions[r].begin - length;
        tiles->before[r + 1] =
            tiles->before[r] + (beyond <= 0 ? 1 : 1 + (beyond + stride(length) - 1) / stride(length));
    }
    tiles->count = tiles->before[text->region_count];
    return GW_OK;
}

void gw_genome_tiles_free(gw_genome_tiles *tiles) {
    free(tiles->before);
    *tiles = (gw_genome_tiles){0};
}

gw_genome_tile gw_genome_tile_at(const gw_genome_tiles *tiles, int64_t number) {
    const int64_t r = region_of(tiles->before, tiles->text->region_count, number);
    const gw_text_region *region = &tiles->text->regions[r];
    const int64_t h = stride(tiles->length), margin = (tiles->length - h) / 2, end = region->end - region->begin,
                  place = number - tiles->before[r];
    const bool starts = place == 0, ends = number + 1 == tiles->before[r + 1];
    const int64_t begin = !ends ? place * h : end > tiles->length ? end - tiles->length : 0;
    return (gw_genome_tile){.region = region,
                            .begin = region->first + begin,
                            .end = region->first + (ends ? end : begin + tiles->length),
                            .first = region->first + (starts ? 0 : place * h + margin),
                            .last = region->first + (ends ? end : (place + 1) * h + margin)};
}
