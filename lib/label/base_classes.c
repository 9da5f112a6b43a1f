// SPDX-License-Identifier: MIT
// Genes are taken apart class by class.
#include "label/base_classes.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "label/base_set_writer.h"
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

// Intervals by contig and strand, in which those of a window are looked up.

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

static int32_t find_label(const gw_base_classes *c, const char *name) {
    for (int64_t l = 0; l < gw_labelled_set_labels(c->set); l++)
        if (strcmp(gw_labelled_set_label_name(c->set, l), name) == 0) return (int32_t)l;
    return -1;
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
    interval of = {.line = gw_lines_number(lines), .class = find_label(c, fields[CLASS])};
    if (of.class < 0)
        return gw_lines_fail(lines, GW_ERR_MISMATCH, "the class '%s' is none of the set's labels", fields[CLASS]);
    if (strcmp(fields[STRAND], "+") != 0 && strcmp(fields[STRAND], "-") != 0)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "the strand is '%s', expected + or -", fields[STRAND]);
    of.stretch = 2 * contig + (fields[STRAND][0] == '-');
    const int64_t length = gw_genome_length(c->genome, contig);
    if (gw_parse_int(fields[1], 0, length - 1, &of.begin) != GW_OK ||
        gw_parse_int(fields[2], of.begin + 1, length, &of.end) != GW_OK)
        return gw_lines_fail(lines, GW_ERR_RANGE, "%s to %s is no interval of %s, which has %lld bp", fields[1],
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

static gw_status sort_intervals(gw_base_classes *c) {
    c->labels = gw_labelled_set_labels(c->set);
    const int64_t lists = 2 * (int64_t)gw_genome_contigs(c->genome) * c->labels;
    c->overlap = find_overlap(c);
    if (c->overlap && c->labels > GW_OVERLAPPING_CLASSES)
        return gw_fail(GW_ERR_RANGE, "%lld classes, some of which overlap; expected %d at most", (long long)c->labels,
                       GW_OVERLAPPING_CLASSES);
    GW_TRY(drop_repeats(c));
    if (!(c->first = gw_alloc(lists + 1, sizeof *c->first))) return GW_ERR_MEMORY;
    for (int64_t i = 0, at = 0; i <= lists; i++) {
        while (at < c->count && c->items[at].stretch * c->labels + c->items[at].class < i) at++;
        c->first[i] = at;
    }
    return GW_OK;
}

bool gw_base_classes_overlap(const gw_base_classes *c) {
    return c->overlap;
}

// PREFIX, PREFIX.bed.gz and PREFIX.bed name a set.
static gw_status read_set(gw_base_classes *c, const char *path) {
    static const char *const endings[] = {".bed.gz", ".bed"};
    size_t length = strlen(path);
    for (int i = 0; i < 2; i++) {
        const size_t ending = strlen(endings[i]);
        if (length <= ending || strcmp(path + length - ending, endings[i]) != 0) continue;
        length -= ending;
        break;
    }
    char *file = gw_strprintf("%.*s%s", (int)length, path, GW_BASE_SET_INTERVALS);
    if (!file) return GW_ERR_MEMORY;
    const gw_status status = gw_lines_each(file, read_row, c);
    free(file);
    return status;
}

gw_status gw_base_classes_open(const char *const *paths, int count, const gw_labelled_set *set, gw_genome *genome,
                               gw_base_classes **out) {
    gw_base_classes *c = *out = gw_alloc(1, sizeof *c);
    if (!c) return GW_ERR_MEMORY;
    *c = (gw_base_classes){.set = set, .genome = genome};
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < count; i++) status = read_set(c, paths[i]);
    if (status == GW_OK) status = sort_intervals(c);
    if (status == GW_OK) return GW_OK;
    gw_base_classes_close(c);
    *out = NULL;
    return status;
}

// The first interval of a list that ends behind `begin`.
static int64_t find_first(const gw_base_classes *c, int64_t list, int64_t begin) {
    int64_t low = c->first[list], high = c->first[list + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->items[middle].end <= begin) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void fill_class(const gw_base_classes *c, int64_t list, int64_t begin, int64_t end, int32_t *class) {
    for (int64_t i = find_first(c, list, begin); i < c->first[list + 1] && c->items[i].begin < end; i++) {
        const interval *of = &c->items[i];
        const int64_t from = of->begin > begin ? of->begin : begin, to = of->end < end ? of->end : end;
        for (int64_t at = from - begin; at < to - begin; at++)
            class[at] = c->overlap ? class[at] | 1 << (of->class + 1) : of->class + 1;
    }
}

void gw_base_classes_fill(const gw_base_classes *c, int contig, int64_t begin, int64_t end, char strand,
                          int32_t *class) {
    const int64_t stretch = 2 * (int64_t)contig + (strand == '-');
    memset(class, 0, (size_t)(end - begin) * sizeof *class);
    for (int64_t l = 0; l < c->labels; l++) fill_class(c, stretch * c->labels + l, begin, end, class);
    for (int64_t at = 0; c->overlap && at < end - begin; at++)
        if (class[at] == 0) class[at] = 1;
}
