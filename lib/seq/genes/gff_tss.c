// SPDX-License-Identifier: MIT
// Writes the first base of each feature as BED6, one row for those that share base and strand.
#include "seq/genes/gff_tss.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"

#include <stdlib.h>
#include <string.h>

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

static gw_status write_sites(const site *sites, int64_t count, const char *path) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    gw_status status = GW_OK;
    for (int64_t i = 0; i < count && status == GW_OK; i++)
        status = gw_writer_printf(out, "%s\t%lld\t%lld\t%s\t0\t%c\n", sites[i].contig, (long long)sites[i].start,
                                  (long long)sites[i].start + 1, sites[i].name, sites[i].strand);
    return gw_writers_close(status, out, NULL);
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
    const gw_status status = write_sites(sites, counts->written, options->path);
    free(sites);
    return status;
}
