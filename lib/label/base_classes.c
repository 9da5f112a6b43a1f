// SPDX-License-Identifier: MIT
// Converts genes to intervals class by class, and finds the intervals of a window by contig, strand and class.
#include "label/base_classes.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/genome/regions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- intervals of genes, or of BED ---------------------------------------------------------------------------------

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

static gw_status add_interval(gw_base_intervals *intervals, gw_base_interval at, int64_t begin, int64_t end) {
    if (begin >= end) return GW_OK;
    GW_TRY(gw_reserve(&intervals->items, &intervals->capacity, intervals->count + 1, sizeof *intervals->items));
    at.begin = begin;
    at.end = end;
    intervals->items[intervals->count++] = at;
    return GW_OK;
}

typedef enum { EXON, INTRON, CDS, START, STOP, ACCEPTOR, DONOR, GENE_CLASSES } gene_class;
static const char *const gene_class_names[] = {"exon", "intron", "CDS", "start", "stop", "acceptor", "donor"};

// The intervals of one gene of a class, to which `at` belongs.
static gw_status add_gene(gw_base_intervals *intervals, const gw_gene_model *gene, gene_class class,
                          gw_base_interval at) {
    enum { LEAST_INTRON = 4, CODON = 3 };
    const int64_t exons = gene->boundary_count / 2, *begins = gene->boundaries, *ends = begins + exons;
    const bool left = (class == START || class == DONOR) == (gene->strand != '-'); // of the two ends of CDS or intron
    if (class == EXON)
        for (int64_t i = 0; i < exons; i++) GW_TRY(add_interval(intervals, at, begins[i], ends[i] + 1));
    if (class == INTRON || class == ACCEPTOR || class == DONOR)
        for (int64_t i = 0; i + 1 < exons; i++) {
            const int64_t begin = ends[i] + 1, end = begins[i + 1], base = left ? begin - 1 : end;
            if (end - begin < LEAST_INTRON) continue;
            if (class == INTRON) GW_TRY(add_interval(intervals, at, begin, end));
            else GW_TRY(add_interval(intervals, at, base, base + 1));
        }
    if (class == CDS)
        for (int64_t i = 0; i < gene->coding_count; i++)
            GW_TRY(add_interval(intervals, at, gene->coding[2 * i], gene->coding[2 * i + 1]));
    if (class == START || class == STOP) { // three coding bases, in as many stretches as they lie in
        int64_t wanted = CODON;
        for (int64_t k = 0; k < gene->coding_count && wanted > 0; k++) {
            const int64_t i = left ? k : gene->coding_count - 1 - k;
            const int64_t begin = gene->coding[2 * i], end = gene->coding[2 * i + 1];
            const int64_t taken = gw_min(end - begin, wanted), from = left ? begin : end - taken;
            GW_TRY(add_interval(intervals, at, from, from + taken));
            wanted -= taken;
        }
    }
    return GW_OK;
}

gw_status gw_base_intervals_of_genes(gw_base_intervals *intervals, const gw_gene_models *genes, const char *classes) {
    int64_t coding = 0; // genes that have a coding sequence
    for (int64_t i = 0; i < genes->count; i++) coding += genes->items[i].coding_count > 0;
    for (const char *at = classes; at; at = gw_next_item(at, ',')) {
        const size_t length = strcspn(at, ",");
        int class = 0;
        for (; class < GENE_CLASSES; class ++)
            if (strlen(gene_class_names[class]) == length && strncasecmp(gene_class_names[class], at, length) == 0)
                break;
        if (class == GENE_CLASSES)
            return gw_fail(GW_ERR_USAGE, "'%.*s' is not a class of genes; the classes are " GW_GENE_CLASSES,
                           (int)length, at);
        GW_TRY(add_class(intervals, gene_class_names[class], length));
        if (coding == 0 && (class == CDS || class == START || class == STOP))
            return gw_fail(GW_ERR_UNSUPPORTED, "the class %s needs coding sequence, and no gene has a coding sequence",
                           gene_class_names[class]);
        for (int64_t i = 0; i < genes->count; i++) {
            const gw_gene_model *gene = &genes->items[i];
            const gw_base_interval of = {gene->contig, gene->strand, intervals->classes - 1, 0, 0};
            GW_TRY(add_gene(intervals, gene, (gene_class) class, of));
        }
    }
    return GW_OK;
}

gw_status gw_base_intervals_read(gw_base_intervals *intervals, gw_genome *genome, const char *path,
                                 const char *classes) {
    gw_regions regions = {0};
    gw_status status = gw_regions_read_bed(&regions, genome, path);
    const bool ordered = classes && intervals->classes == 0;
    for (const char *at = ordered ? classes : NULL; status == GW_OK && at; at = gw_next_item(at, ','))
        status = add_class(intervals, at, strcspn(at, ","));
    for (int64_t i = 0; status == GW_OK && i < regions.count; i++) {
        const gw_region *r = &regions.items[i];
        if (!r->name) {
            status =
                gw_fail(GW_ERR_FORMAT, "%s:%lld: an interval without a class in column 4", path, (long long)r->line);
            break;
        }
        int class = find_class(intervals, r->name);
        if (class < 0 && classes) continue;
        if (class < 0) {
            status = add_class(intervals, r->name, strlen(r->name));
            class = intervals->classes - 1;
        }
        const gw_base_interval of = {r->contig, r->strand, class, 0, 0};
        if (status == GW_OK) status = add_interval(intervals, of, r->begin, r->end);
    }
    gw_regions_free(&regions);
    return status;
}

// --- the intervals of a set of labelled bases ----------------------------------------------------------------------

typedef struct {
    int64_t begin, end, line;
    int32_t stretch; // 2 contig, or 2 contig + 1 on the - strand
    int32_t class;
} interval;

struct gw_base_classes {
    interval *items;
    int64_t count, capacity;
    int64_t *first; // [2 contigs x labels + 1] of each contig, strand and class
    int64_t labels;
    bool overlap;
    const gw_labelled_set *set;
    gw_genome *genome;
};

void gw_base_classes_close(gw_base_classes *classes) {
    if (!classes) return;
    free(classes->items);
    free(classes->first);
    free(classes);
}

static gw_status read_row(void *context, const gw_line_reader *lines, char *line) {
    enum { CLASS = 3, STRAND = 5, COLUMNS };
    gw_base_classes *c = context;
    char *fields[COLUMNS + 1];
    if (line[0] == '#') return GW_OK;
    if (gw_split(line, '\t', fields, COLUMNS + 1) < COLUMNS)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected the six columns of BED, class and strand among them");
    const int contig = gw_genome_find(c->genome, fields[0], -1);
    if (contig < 0)
        return gw_lines_fail(lines, GW_ERR_MISMATCH, "%s has no contig named %s", gw_genome_path(c->genome), fields[0]);
    interval of = {.line = gw_lines_number(lines)};
    while (of.class < c->labels && strcmp(gw_labelled_set_label_name(c->set, of.class), fields[CLASS]) != 0)
        of.class ++;
    if (of.class == c->labels)
        return gw_lines_fail(lines, GW_ERR_MISMATCH, "the class '%s' is none of the set's labels", fields[CLASS]);
    if (strcmp(fields[STRAND], "+") != 0 && strcmp(fields[STRAND], "-") != 0)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "the strand is '%s', expected + or -", fields[STRAND]);
    of.stretch = 2 * contig + (fields[STRAND][0] == '-');
    const int64_t length = gw_genome_length(c->genome, contig);
    if (gw_parse_int(fields[1], 0, length - 1, &of.begin) != GW_OK ||
        gw_parse_int(fields[2], of.begin + 1, length, &of.end) != GW_OK)
        return gw_lines_fail(lines, GW_ERR_RANGE, "%s to %s is not an interval of %s, which has %lld bp", fields[1],
                             fields[2], fields[0], (long long)length);
    GW_TRY(gw_reserve(&c->items, &c->capacity, c->count + 1, sizeof *c->items));
    c->items[c->count++] = of;
    return GW_OK;
}

static int by_place(const void *a, const void *b) {
    const interval *x = a, *y = b;
    if (x->stretch != y->stretch) return x->stretch < y->stretch ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_class(const void *a, const void *b) {
    const interval *x = a, *y = b;
    if (x->stretch != y->stretch) return x->stretch < y->stretch ? -1 : 1;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// Whether any two classes share a base.
static bool find_overlap(gw_base_classes *c) {
    interval last = {.stretch = -1};
    if (c->count > 1) qsort(c->items, (size_t)c->count, sizeof *c->items, by_place);
    for (int64_t i = 0; i < c->count; i++) {
        const interval *of = &c->items[i];
        const bool goes_on = of->stretch == last.stretch && of->begin < last.end;
        if (goes_on && of->class != last.class) return true;
        if (!goes_on || of->end > last.end) last = *of;
    }
    return false;
}

// The same interval may stand in several sets.
static gw_status drop_repeats(gw_base_classes *c) {
    int64_t kept = 0;
    if (c->count > 1) qsort(c->items, (size_t)c->count, sizeof *c->items, by_class);
    for (int64_t i = 0; i < c->count; i++) {
        const interval *of = &c->items[i], *before = kept > 0 ? &c->items[kept - 1] : NULL;
        if (before && before->stretch == of->stretch && before->class == of->class && of->begin < before->end) {
            if (before->begin == of->begin && before->end == of->end) continue;
            return gw_fail(GW_ERR_FORMAT,
                           "line %lld of the set's intervals (" GW_BASE_SET_INTERVALS ") overlaps line %lld of the "
                           "same class and strand",
                           (long long)of->line, (long long)before->line);
        }
        c->items[kept++] = *of;
    }
    c->count = kept;
    return GW_OK;
}

bool gw_base_classes_overlap(const gw_base_classes *c) {
    return c->overlap;
}

gw_status gw_base_classes_open(const char *const *paths, int count, const gw_labelled_set *set, gw_genome *genome,
                               gw_base_classes **out) {
    gw_base_classes *c = *out = gw_alloc(1, sizeof *c);
    if (!c) return GW_ERR_MEMORY;
    *c = (gw_base_classes){.set = set, .genome = genome, .labels = gw_labelled_set_labels(set)};
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < count; i++) { // PREFIX, PREFIX.bed.gz and PREFIX.bed name a set
        const char *ending = gw_has_suffix(paths[i], ".bed.gz") ? ".bed.gz" : ".bed";
        const size_t length = strlen(paths[i]) - (gw_has_suffix(paths[i], ending) ? strlen(ending) : 0);
        char *file = gw_strprintf("%.*s%s", (int)length, paths[i], GW_BASE_SET_INTERVALS);
        status = file ? gw_lines_each(file, read_row, c) : GW_ERR_MEMORY;
        free(file);
    }
    if (status == GW_OK) c->overlap = find_overlap(c);
    if (status == GW_OK && c->overlap && c->labels > GW_OVERLAPPING_CLASSES)
        status = gw_fail(GW_ERR_RANGE, "%lld classes, some of which overlap; expected %d at most", (long long)c->labels,
                         GW_OVERLAPPING_CLASSES);
    if (status == GW_OK) status = drop_repeats(c);
    const int64_t lists = 2 * (int64_t)gw_genome_contigs(genome) * c->labels;
    if (status == GW_OK && !(c->first = gw_alloc(lists + 1, sizeof *c->first))) status = GW_ERR_MEMORY;
    for (int64_t i = 0, at = 0; status == GW_OK && i <= lists; i++) {
        while (at < c->count && c->items[at].stretch * c->labels + c->items[at].class < i) at++;
        c->first[i] = at;
    }
    if (status == GW_OK) return GW_OK;
    gw_base_classes_close(c);
    *out = NULL;
    return status;
}

void gw_base_classes_fill(const gw_base_classes *c, int contig, int64_t begin, int64_t end, char strand,
                          int32_t *class) {
    const int64_t stretch = 2 * (int64_t)contig + (strand == '-');
    memset(class, 0, (size_t)(end - begin) * sizeof *class);
    for (int64_t l = 0; l < c->labels; l++) {
        const int64_t *list = &c->first[stretch * c->labels + l];
        const interval *of = c->items + list[0];
        const int64_t count = list[1] - list[0];
        for (int64_t i = GW_FIRST_NOT(k, count, of[k].end <= begin); i < count && of[i].begin < end; i++)
            for (int64_t at = gw_max(of[i].begin, begin) - begin; at < gw_min(of[i].end, end) - begin; at++)
                class[at] = c->overlap ? class[at] | 1 << (of[i].class + 1) : of[i].class + 1;
    }
    for (int64_t at = 0; c->overlap && at < end - begin; at++)
        if (class[at] == 0) class[at] = 1;
}
