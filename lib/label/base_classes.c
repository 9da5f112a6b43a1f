// SPDX-License-Identifier: MIT
// Intervals by contig and strand, in which those of a window are looked up.
#include "label/base_classes.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "label/base_intervals.h"
#include "label/base_set_writer.h"

#include <stdlib.h>
#include <string.h>

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

static int32_t find_class(const gw_base_classes *c, const char *name) {
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
    interval of = {.line = gw_lines_number(lines), .class = find_class(c, fields[CLASS])};
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
