// SPDX-License-Identifier: MIT
// Finds the windows that are far enough from every site, and takes the first drawn whose GC content is close to the
// parent's, or the closest of many.
#include "label/genomic_negative.h"

#include "base/memory.h"
#include "seq/genes/tss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status add_copies(gw_regions *to, const gw_regions *from) {
    for (int64_t i = 0; i < from->count; i++) {
        const gw_region *r = &from->items[i];
        GW_TRY(gw_regions_add(to, (gw_region){.contig = r->contig, .begin = r->begin, .end = r->end, .strand = '.'}));
    }
    return GW_OK;
}

// Every base nearer than `distance` to a TSS at t: t - distance + 1 .. t + distance - 1.
static gw_status add_neighbourhoods(gw_regions *to, gw_genome *genome, const gw_regions *tss, int64_t distance) {
    for (int64_t i = 0; i < tss->count; i++) {
        const int64_t at = gw_tss_position(&tss->items[i]), length = gw_genome_length(genome, tss->items[i].contig);
        gw_region near = {
            .contig = tss->items[i].contig, .begin = at - distance + 1, .end = at + distance, .strand = '.'};
        if (near.begin < 0) near.begin = 0;
        if (near.end > length) near.end = length;
        if (near.begin < near.end) GW_TRY(gw_regions_add(to, near));
    }
    return GW_OK;
}

static gw_status add_contigs(gw_regions *to, gw_genome *genome) {
    for (int c = 0; c < gw_genome_contigs(genome); c++)
        GW_TRY(gw_regions_add(to, (gw_region){.contig = c, .end = gw_genome_length(genome, c), .strand = '.'}));
    return GW_OK;
}

// Training windows lie anywhere but in held-out sequence; the others inside their split's regions.
static gw_status find_windows(gw_genomic_negatives *n, gw_set_split split, const gw_regions *tss,
                              const gw_held_out *held_out, int64_t distance) {
    gw_regions zones = {0}, obstacles = {0};
    gw_status status = add_neighbourhoods(&obstacles, n->genome, tss, distance);
    if (status == GW_OK) status = add_copies(&obstacles, &held_out->excluded);
    if (split == GW_SPLIT_TRAIN) {
        if (status == GW_OK) status = add_copies(&obstacles, &held_out->valid);
        if (status == GW_OK) status = add_copies(&obstacles, &held_out->test);
        if (status == GW_OK) status = add_contigs(&zones, n->genome);
    } else if (status == GW_OK) {
        status = add_copies(&zones, split == GW_SPLIT_TEST ? &held_out->test : &held_out->valid);
    }
    gw_regions_merge(&obstacles);
    gw_regions_merge(&zones);
    if (status == GW_OK) status = gw_free_windows_find(&n->windows[split], &zones, &obstacles, n->width);
    gw_regions_free(&zones);
    gw_regions_free(&obstacles);
    return status;
}

gw_status gw_genomic_negatives_new(gw_genomic_negatives *negatives, gw_genome *genome, const gw_regions *tss,
                                   const gw_held_out *held_out, int64_t width, int64_t distance) {
    *negatives = (gw_genomic_negatives){.genome = genome, .width = width};
    negatives->candidate = gw_alloc(2 * width, 1); // a window and its reverse complement
    negatives->best = gw_alloc(width, 1);
    gw_status status = negatives->candidate && negatives->best ? GW_OK : GW_ERR_MEMORY;
    for (int split = 0; status == GW_OK && split < GW_SPLITS; split++)
        status = find_windows(negatives, (gw_set_split)split, tss, held_out, distance);
    if (status != GW_OK) gw_genomic_negatives_free(negatives);
    return status;
}

int64_t gw_genomic_negatives_capacity(const gw_genomic_negatives *negatives, gw_set_split split) {
    const gw_regions *gaps = &negatives->windows[split].gaps;
    int64_t capacity = 0;
    for (int64_t i = 0; i < gaps->count; i++)
        capacity += (gaps->items[i].end - gaps->items[i].begin) / negatives->width;
    return capacity;
}

void gw_genomic_negatives_free(gw_genomic_negatives *negatives) {
    for (int split = 0; split < GW_SPLITS; split++) gw_free_windows_free(&negatives->windows[split]);
    free(negatives->candidate);
    free(negatives->best);
    *negatives = (gw_genomic_negatives){0};
}

// GC content among A, C, G and T (0 without any), and the number of other letters.
static double gc_content(const char *bases, int64_t length, int64_t *others) {
    int64_t strong = 0, weak = 0;
    for (int64_t i = 0; i < length; i++) {
        strong += bases[i] == 'G' || bases[i] == 'C';
        weak += bases[i] == 'A' || bases[i] == 'T';
    }
    *others = length - strong - weak;
    return strong + weak > 0 ? (double)strong / (double)(strong + weak) : 0;
}

static gw_status draw_window(gw_genomic_negatives *n, gw_random *random, gw_set_split split, gw_region *region) {
    *region = (gw_region){0};
    gw_free_windows_draw(&n->windows[split], random, &region->contig, &region->begin);
    region->end = region->begin + n->width;
    region->strand = gw_random_below(random, 2) ? '-' : '+';
    if (region->strand == '+')
        return gw_genome_fetch(n->genome, region->contig, region->begin, region->end, n->candidate);
    char *forward = n->candidate + n->width;
    GW_TRY(gw_genome_fetch(n->genome, region->contig, region->begin, region->end, forward));
    gw_reverse_complement(forward, n->width, n->candidate);
    return GW_OK;
}

gw_status gw_genomic_negative(gw_genomic_negatives *n, gw_random *random, gw_set_split split, const char *parent,
                              gw_region *region, const char **bases, bool *matched) {
    enum { MOST_DRAWS = 500 };
    const double close_enough = 0.02;
    int64_t parent_others, others;
    const double wanted = gc_content(parent, n->width, &parent_others);
    double closest = INFINITY;
    for (int i = 0; i < MOST_DRAWS && closest > close_enough; i++) {
        gw_region drawn;
        GW_TRY(draw_window(n, random, split, &drawn));
        const double away = fabs(gc_content(n->candidate, n->width, &others) - wanted);
        if (others > parent_others || away >= closest) continue;
        closest = away;
        *region = drawn;
        memcpy(n->best, n->candidate, (size_t)n->width);
    }
    if (isinf(closest))
        return gw_fail(GW_ERR_MISMATCH,
                       "%d windows of the %s sequence far from every TSS all hold more N than the promoter", MOST_DRAWS,
                       gw_split_names[split]);
    *bases = n->best;
    *matched = closest <= close_enough;
    return GW_OK;
}
