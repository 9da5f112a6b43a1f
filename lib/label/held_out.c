// SPDX-License-Identifier: MIT
// Reads or assigns the held-out regions, finds a window's split, and hashes windows to find equal ones.
#include "label/held_out.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const gw_split_names[GW_SPLITS] = {"train", "valid", "test"};

gw_set_split gw_split_named(const char *name) {
    gw_set_split split = GW_SPLIT_TRAIN;
    while (split < GW_SPLITS && strcmp(gw_split_names[split], name) != 0) split++;
    return split;
}

static gw_status read_list(gw_regions *regions, gw_genome *genome, const char *option, const char *text) {
    if (!text) return GW_OK;
    const gw_status status = gw_regions_parse(regions, genome, text);
    if (status != GW_OK) return gw_fail_in(status, "%s", option);
    gw_regions_merge(regions);
    return GW_OK;
}

gw_status gw_held_out_read(gw_held_out *held_out, gw_genome *genome, const char *valid, const char *test,
                           const char *excluded) {
    *held_out = (gw_held_out){.any = valid || test};
    gw_status status = read_list(&held_out->valid, genome, "--valid", valid);
    if (status == GW_OK) status = read_list(&held_out->test, genome, "--test", test);
    if (status == GW_OK) status = read_list(&held_out->excluded, genome, "--exclude", excluded);
    for (int64_t i = 0; status == GW_OK && i < held_out->valid.count; i++) {
        const gw_region *r = &held_out->valid.items[i];
        if (gw_regions_overlap(&held_out->test, r->contig, r->begin, r->end))
            status = gw_fail(GW_ERR_MISMATCH, "--valid and --test overlap on %s", gw_genome_name(genome, r->contig));
    }
    if (status != GW_OK) gw_held_out_free(held_out);
    return status;
}

void gw_held_out_free(gw_held_out *held_out) {
    gw_regions_free(&held_out->valid);
    gw_regions_free(&held_out->test);
    gw_regions_free(&held_out->excluded);
    *held_out = (gw_held_out){0};
}

gw_set_split gw_split_of_window(const gw_held_out *held_out, int contig, int64_t begin, int64_t end, int64_t point) {
    if (gw_regions_overlap(&held_out->excluded, contig, begin, end)) return GW_SPLIT_NONE;
    if (gw_regions_overlap(&held_out->test, contig, point, point + 1)) return GW_SPLIT_TEST;
    if (gw_regions_overlap(&held_out->test, contig, begin, end)) return GW_SPLIT_NONE;
    if (gw_regions_overlap(&held_out->valid, contig, point, point + 1)) return GW_SPLIT_VALID;
    return gw_regions_overlap(&held_out->valid, contig, begin, end) ? GW_SPLIT_NONE : GW_SPLIT_TRAIN;
}

// Contigs are dealt into folds: from the longest down each goes to the fold that has the fewest bases so far, so that
// folds are about as long; of equals the first comes first.
typedef struct {
    int contig;
    int64_t length;
} dealt_contig;

static int by_length_falling(const void *a, const void *b) {
    const dealt_contig *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    return (x->contig > y->contig) - (x->contig < y->contig);
}

gw_status gw_held_out_fold(gw_held_out *held_out, gw_genome *genome, int64_t fold, int64_t folds,
                           const char *excluded) {
    const int contigs = gw_genome_contigs(genome);
    if (folds < 3 || folds > contigs)
        return gw_fail(GW_ERR_RANGE, "--fold: contigs are dealt into 3 to %d folds in this genome, not %lld", contigs,
                       (long long)folds);
    GW_TRY(gw_held_out_read(held_out, genome, NULL, NULL, excluded));
    held_out->any = true;
    dealt_contig *sorted = gw_alloc(contigs, sizeof *sorted);
    int64_t *bases = gw_alloc(folds, sizeof *bases);
    gw_status status = sorted && bases ? GW_OK : GW_ERR_MEMORY;
    for (int c = 0; status == GW_OK && c < contigs; c++) sorted[c] = (dealt_contig){c, gw_genome_length(genome, c)};
    if (status == GW_OK) qsort(sorted, (size_t)contigs, sizeof *sorted, by_length_falling);
    for (int c = 0; status == GW_OK && c < contigs; c++) {
        const gw_region whole = {.contig = sorted[c].contig, .end = sorted[c].length, .strand = '.'};
        int64_t of = 0; // the fold that has the fewest bases
        for (int64_t f = 1; f < folds; f++)
            if (bases[f] < bases[of]) of = f;
        bases[of] += sorted[c].length;
        if (of == fold - 1) status = gw_regions_add(&held_out->test, whole);
        else if (of == fold % folds) status = gw_regions_add(&held_out->valid, whole);
    }
    free(sorted);
    free(bases);
    gw_regions_merge(&held_out->test);
    gw_regions_merge(&held_out->valid);
    if (status != GW_OK) gw_held_out_free(held_out);
    return status;
}

// --- seen windows: a sorted list of hashes -------------------------------------------------------------------------

uint64_t gw_hash_bases(const char *bases, int64_t length) {
    return gw_hash_bytes(GW_HASH_START, bases, length);
}

static int by_hash(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

gw_status gw_seen_windows_add(gw_seen_windows *seen, uint64_t hash) {
    GW_TRY(gw_reserve(&seen->hashes, &seen->capacity, seen->count + 1, sizeof *seen->hashes));
    seen->hashes[seen->count++] = hash;
    return GW_OK;
}

void gw_seen_windows_sort(gw_seen_windows *seen) {
    if (seen->count > 0) qsort(seen->hashes, (size_t)seen->count, sizeof *seen->hashes, by_hash);
}

bool gw_seen_windows_has(const gw_seen_windows *seen, uint64_t hash) {
    return seen->count > 0 && bsearch(&hash, seen->hashes, (size_t)seen->count, sizeof hash, by_hash);
}

bool gw_seen_elsewhere(const gw_seen_windows seen[GW_SPLITS], gw_set_split split, uint64_t hash) {
    if (split != GW_SPLIT_TEST && gw_seen_windows_has(&seen[GW_SPLIT_TEST], hash)) return true;
    return split == GW_SPLIT_TRAIN && gw_seen_windows_has(&seen[GW_SPLIT_VALID], hash);
}

void gw_seen_windows_free(gw_seen_windows *seen) {
    free(seen->hashes);
    *seen = (gw_seen_windows){0};
}

// --- sliding hashes: residues of two polynomials, moved base by base -----------------------------------------------

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(1152921504606846883) // any residue of about the prime's size

static uint64_t reduce(uint64_t x) {
    x = (x & PRIME) + (x >> 61);
    return x >= PRIME ? x - PRIME : x;
}

static uint64_t times(uint64_t a, uint64_t b) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    return reduce((uint64_t)(product & PRIME) + (uint64_t)(product >> 61));
}

static uint64_t power(uint64_t a, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, a = times(a, a))
        if (exponent & 1) result = times(result, a);
    return result;
}

static unsigned letter_of(char base) {
    return base == 'A' ? 1 : base == 'C' ? 2 : base == 'G' ? 3 : base == 'T' ? 4 : 5;
}

// 0 stands for no letter: an empty window is one of zeros.
static unsigned complement(unsigned letter) {
    return letter == 0 || letter == 5 ? letter : 5 - letter;
}

gw_status gw_window_hashes_new(gw_window_hashes *hashes, gw_genome *genome, int64_t width) {
    *hashes = (gw_window_hashes){.genome = genome, .width = width, .contig = -1};
    hashes->out = gw_alloc(width, 1);
    hashes->in = gw_alloc(width, 1);
    hashes->inverse = power(BASE, PRIME - 2);
    const uint64_t highest = power(BASE, (uint64_t)width - 1);
    for (unsigned v = 0; v < GW_HASH_LETTERS; v++) hashes->last[v] = times(v, highest);
    return hashes->out && hashes->in ? GW_OK : GW_ERR_MEMORY;
}

void gw_window_hashes_free(gw_window_hashes *hashes) {
    free(hashes->out);
    free(hashes->in);
    *hashes = (gw_window_hashes){0};
}

gw_status gw_window_hash(gw_window_hashes *h, int contig, int64_t begin, uint64_t *hash) {
    const int64_t moved = begin - h->begin;
    const bool slides = contig == h->contig && moved >= 0 && moved < h->width;
    const int64_t count = slides ? moved : h->width, end = begin + h->width;
    if (slides) GW_TRY(gw_genome_fetch(h->genome, contig, h->begin, begin, h->out));
    else h->forward = h->reverse = 0;
    h->contig = -1; // until all is read
    GW_TRY(gw_genome_fetch(h->genome, contig, end - count, end, h->in));
    for (int64_t i = 0; i < count; i++) {
        const unsigned out = slides ? letter_of(h->out[i]) : 0, in = letter_of(h->in[i]);
        h->forward = reduce(times(reduce(h->forward + PRIME - h->last[out]), BASE) + in);
        h->reverse = reduce(times(reduce(h->reverse + PRIME - complement(out)), h->inverse) + h->last[complement(in)]);
    }
    h->contig = contig;
    h->begin = begin;
    *hash = h->forward < h->reverse ? h->forward : h->reverse;
    return GW_OK;
}
