// SPDX-License-Identifier: MIT
// Reads the sites and computes their windows; writes the first base of each feature as BED6.
#include "seq/genes/tss.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// By chance a site lies on one of them in 3 of 64 cases; a single site says nothing.
static gw_status warn_of_start_codons(const gw_regions *tss, gw_genome *genome, const char *path) {
    int64_t codons = 0;
    for (int64_t i = 0; i < tss->count; i++) {
        const gw_region *site = &tss->items[i];
        char bases[3], codon[3];
        const int64_t first = gw_tss_position(site), begin = site->strand == '-' ? first - 2 : first;
        if (begin < 0 || begin + 3 > gw_genome_length(genome, site->contig)) continue;
        GW_TRY(gw_genome_fetch(genome, site->contig, begin, begin + 3, bases));
        if (site->strand == '-') gw_reverse_complement(bases, 3, codon);
        else memcpy(codon, bases, 3);
        codons += strchr("AGT", codon[0]) && codon[1] == 'T' && codon[2] == 'G';
    }
    if (codons > 1 && 2 * codons > tss->count)
        gw_warn(
            "%s: %lld of %lld sites lie on a start codon (ATG, GTG or TTG): they are starts of coding sequence, not "
            "start sites of transcription. A model that learns them tells genes from other sequence, not promoters",
            path, (long long)codons, (long long)tss->count);
    return GW_OK;
}

gw_status gw_read_tss(gw_regions *tss, gw_genome *genome, const char *path) {
    int64_t kept = 0, no_strand = 0, empty = 0;
    GW_TRY(gw_regions_read_bed(tss, genome, path));
    for (int64_t i = 0; i < tss->count; i++) {
        gw_region *r = &tss->items[i];
        const bool strandless = r->strand != '+' && r->strand != '-', holds_none = r->begin == r->end;
        no_strand += strandless;
        empty += holds_none && !strandless;
        if (strandless || holds_none) free(r->name);
        else tss->items[kept++] = *r;
    }
    tss->count = kept;
    if (no_strand > 0)
        gw_warn("%s: %lld records have no strand (column 6: + or -), so that they are not start sites; left out", path,
                (long long)no_strand);
    if (empty > 0) gw_warn("%s: %lld records of 0 bp are not start sites; left out", path, (long long)empty);
    if (kept > 0) return warn_of_start_codons(tss, genome, path);
    return gw_fail(GW_ERR_FORMAT, "%s holds no TSS: a record of at least 1 bp with its strand, + or -, in column 6",
                   path);
}

int64_t gw_tss_position(const gw_region *record) {
    return record->strand == '-' ? record->end - 1 : record->begin;
}

void gw_tss_window(int64_t tss, char strand, int64_t upstream, int64_t downstream, int64_t *begin, int64_t *end) {
    *begin = strand == '-' ? tss - downstream + 1 : tss - upstream;
    *end = *begin + upstream + downstream;
}

typedef struct {
    const char *contig, *name;
    int64_t start; // 0-based
    char strand;
    int64_t order; // of the features
} site;

static int compare(const void *a, const void *b) {
    const site *x = a, *y = b;
    const int order = strcmp(x->contig, y->contig);
    if (order) return order;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->strand != y->strand) return x->strand < y->strand ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_order(const void *a, const void *b) {
    const site *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

// One row for those that share base and strand.
static int64_t keep_first(site *sites, int64_t count) {
    int64_t kept = 0;
    if (count > 1) qsort(sites, (size_t)count, sizeof *sites, compare);
    for (int64_t i = 0; i < count; i++) {
        const site *last = kept > 0 ? &sites[kept - 1] : NULL;
        const bool same = last && strcmp(last->contig, sites[i].contig) == 0 && last->start == sites[i].start &&
                          last->strand == sites[i].strand;
        if (!same) sites[kept++] = sites[i];
    }
    if (kept > 1) qsort(sites, (size_t)kept, sizeof *sites, compare_order);
    return kept;
}

static bool find_site(const gw_feature *f, gw_genome *genome, site *out, gw_tss_counts *counts) {
    *out = (site){.contig = f->contig, .name = f->name ? f->name : ".", .strand = f->strand};
    counts->no_strand += f->strand == '.';
    if (f->strand == '.') return false;
    out->start = f->strand == '-' ? f->end - 1 : f->begin;
    if (!genome) return true;
    const int contig = gw_genome_find(genome, f->contig, -1);
    if (contig < 0) {
        counts->no_contig++;
        counts->unknown = f->contig;
        return false;
    }
    const bool off = out->start >= gw_genome_length(genome, contig);
    counts->off_contig += off;
    out->contig = gw_genome_name(genome, contig);
    return !off;
}

gw_status gw_tss_write(const gw_features *features, const gw_tss_options *options, gw_tss_counts *counts) {
    *counts = (gw_tss_counts){0};
    int64_t found = 0;
    site *sites = gw_alloc(features->count, sizeof *sites);
    if (!sites) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < features->count; i++) {
        if (!find_site(&features->items[i], options->genome, &sites[found], counts)) continue;
        sites[found++].order = i;
    }
    counts->written = options->unique ? keep_first(sites, found) : found;
    counts->repeated = found - counts->written;
    gw_text_writer *out = NULL;
    gw_status status = gw_writer_open(options->path, &out);
    for (int64_t i = 0; i < counts->written && status == GW_OK; i++)
        status = gw_writer_printf(out, "%s\t%lld\t%lld\t%s\t0\t%c\n", sites[i].contig, (long long)sites[i].start,
                                  (long long)sites[i].start + 1, sites[i].name, sites[i].strand);
    free(sites);
    return gw_writers_close(status, out, NULL);
}
