// SPDX-License-Identifier: MIT
// Genes are taken apart class by class.
#include "label/base_intervals.h"

#include "base/memory.h"
#include "base/parse.h"
#include "seq/genome/regions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LEAST_INTRON = 4, CODON = 3 };

void gw_base_intervals_free(gw_base_intervals *intervals) {
    for (int i = 0; i < intervals->classes; i++) free(intervals->names[i]);
    free(intervals->names);
    free(intervals->items);
    *intervals = (gw_base_intervals){0};
}

static int find_class(const gw_base_intervals *intervals, const char *name) {
    for (int i = 0; i < intervals->classes; i++)
        if (strcmp(intervals->names[i], name) == 0) return i;
    return -1;
}

static gw_status add_class(gw_base_intervals *intervals, const char *name, size_t length) {
    int64_t capacity = intervals->name_capacity;
    if (intervals->classes == GW_BASE_CLASSES) return gw_fail(GW_ERR_RANGE, "more than %d classes", GW_BASE_CLASSES);
    if (length == 0) return gw_fail(GW_ERR_FORMAT, "a class without a name");
    GW_TRY(gw_reserve(&intervals->names, &capacity, intervals->classes + 1, sizeof *intervals->names));
    intervals->name_capacity = (int)capacity;
    char *copy = gw_strndup(name, length);
    if (!copy) return GW_ERR_MEMORY;
    const bool again = find_class(intervals, copy) >= 0;
    intervals->names[intervals->classes] = copy;
    if (!again) {
        intervals->classes++;
        return GW_OK;
    }
    const gw_status status = gw_fail(GW_ERR_FORMAT, "the class '%s' is named twice", copy);
    free(copy);
    return status;
}

static gw_status add_interval(gw_base_intervals *intervals, gw_base_interval interval) {
    if (interval.begin >= interval.end) return GW_OK;
    GW_TRY(gw_reserve(&intervals->items, &intervals->capacity, intervals->count + 1, sizeof *intervals->items));
    intervals->items[intervals->count++] = interval;
    return GW_OK;
}

// What is made of one gene, as intervals of the class that `at` names.
typedef gw_status class_maker(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at);

static gw_status add_range(gw_base_intervals *intervals, gw_base_interval at, int64_t begin, int64_t end) {
    at.begin = begin, at.end = end;
    return add_interval(intervals, at);
}

static gw_status add_exons(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    const int64_t exons = gene->boundary_count / 2;
    for (int64_t i = 0; i < exons; i++)
        GW_TRY(add_range(intervals, at, gene->boundaries[i], gene->boundaries[exons + i] + 1));
    return GW_OK;
}

// The bases between exons i and i + 1; false: there is no intron.
static bool intron_of(const gw_gene_model *gene, int64_t i, int64_t *begin, int64_t *end) {
    const int64_t exons = gene->boundary_count / 2;
    *begin = gene->boundaries[exons + i] + 1;
    *end = gene->boundaries[i + 1];
    return *end - *begin >= LEAST_INTRON;
}

static gw_status add_introns(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    int64_t begin, end;
    for (int64_t i = 0; i + 1 < gene->boundary_count / 2; i++)
        if (intron_of(gene, i, &begin, &end)) GW_TRY(add_range(intervals, at, begin, end));
    return GW_OK;
}

// The base of the exon on the left side of each intron, or on the right one.
static gw_status add_ends(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at, bool left) {
    int64_t begin, end;
    for (int64_t i = 0; i + 1 < gene->boundary_count / 2; i++) {
        if (!intron_of(gene, i, &begin, &end)) continue;
        const int64_t base = left ? begin - 1 : end;
        GW_TRY(add_range(intervals, at, base, base + 1));
    }
    return GW_OK;
}

static gw_status add_donors(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    return add_ends(intervals, gene, at, gene->strand != '-');
}

static gw_status add_acceptors(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    return add_ends(intervals, gene, at, gene->strand == '-');
}

static gw_status add_coding(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    for (int64_t i = 0; i < gene->coding_count; i++)
        GW_TRY(add_range(intervals, at, gene->coding[2 * i], gene->coding[2 * i + 1]));
    return GW_OK;
}

// Three coding bases from the left end, or from the right one, in as many stretches as they lie in.
static gw_status add_codon(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at, bool left) {
    int64_t wanted = CODON;
    for (int64_t k = 0; k < gene->coding_count && wanted > 0; k++) {
        const int64_t i = left ? k : gene->coding_count - 1 - k;
        const int64_t begin = gene->coding[2 * i], end = gene->coding[2 * i + 1];
        const int64_t taken = end - begin < wanted ? end - begin : wanted;
        GW_TRY(left ? add_range(intervals, at, begin, begin + taken) : add_range(intervals, at, end - taken, end));
        wanted -= taken;
    }
    return GW_OK;
}

static gw_status add_start(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    return add_codon(intervals, gene, at, gene->strand != '-');
}

static gw_status add_stop(gw_base_intervals *intervals, const gw_gene_model *gene, gw_base_interval at) {
    return add_codon(intervals, gene, at, gene->strand == '-');
}

static const struct {
    const char *name;
    class_maker *make;
    bool coding;
} makers[] = {{"exon", add_exons, false},  {"intron", add_introns, false}, {"CDS", add_coding, true},
              {"start", add_start, true},  {"stop", add_stop, true},       {"acceptor", add_acceptors, false},
              {"donor", add_donors, false}};
enum { MAKERS = sizeof makers / sizeof *makers };

static int find_maker(const char *name, size_t length) {
    for (int i = 0; i < MAKERS; i++)
        if (strlen(makers[i].name) == length && strncasecmp(makers[i].name, name, length) == 0) return i;
    return -1;
}

static gw_status check_coding(const gw_gene_models *genes, const char *class) {
    for (int64_t i = 0; i < genes->count; i++)
        if (genes->items[i].coding_count > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "the class %s is of coding sequence, and none of the genes has any", class);
}

static gw_status make_class(gw_base_intervals *intervals, const gw_gene_models *genes, int maker) {
    GW_TRY(add_class(intervals, makers[maker].name, strlen(makers[maker].name)));
    if (makers[maker].coding) GW_TRY(check_coding(genes, makers[maker].name));
    for (int64_t i = 0; i < genes->count; i++) {
        const gw_gene_model *gene = &genes->items[i];
        const gw_base_interval at = {.contig = gene->contig, .strand = gene->strand, .class = intervals->classes - 1};
        GW_TRY(makers[maker].make(intervals, gene, at));
    }
    return GW_OK;
}

gw_status gw_base_intervals_of_genes(gw_base_intervals *intervals, const gw_gene_models *genes, const char *classes) {
    for (const char *at = classes; at; at = gw_next_item(at, ',')) {
        const size_t length = strcspn(at, ",");
        const int maker = find_maker(at, length);
        if (maker < 0)
            return gw_fail(GW_ERR_USAGE, "'%.*s' is no class of genes: those are " GW_GENE_CLASSES, (int)length, at);
        GW_TRY(make_class(intervals, genes, maker));
    }
    return GW_OK;
}

static gw_status name_classes(gw_base_intervals *intervals, const char *classes) {
    for (const char *at = classes; at; at = gw_next_item(at, ',')) GW_TRY(add_class(intervals, at, strcspn(at, ",")));
    return GW_OK;
}

static gw_status take_region(gw_base_intervals *intervals, const gw_region *region, const char *path, bool open) {
    if (!region->name)
        return gw_fail(GW_ERR_FORMAT, "%s:%lld: an interval without a class in column 4", path,
                       (long long)region->line);
    int class = find_class(intervals, region->name);
    if (class < 0 && !open) return GW_OK;
    if (class < 0) {
        GW_TRY(add_class(intervals, region->name, strlen(region->name)));
        class = intervals->classes - 1;
    }
    return add_interval(intervals, (gw_base_interval){.contig = region->contig,
                                                      .strand = region->strand,
                                                      .class = class,
                                                      .begin = region->begin,
                                                      .end = region->end});
}

gw_status gw_base_intervals_read(gw_base_intervals *intervals, gw_genome *genome, const char *path,
                                 const char *classes) {
    gw_regions regions = {0};
    gw_status status = gw_regions_read_bed(&regions, genome, path);
    if (status == GW_OK && classes && intervals->classes == 0) status = name_classes(intervals, classes);
    for (int64_t i = 0; status == GW_OK && i < regions.count; i++)
        status = take_region(intervals, &regions.items[i], path, !classes);
    gw_regions_free(&regions);
    return status;
}
