// SPDX-License-Identifier: MIT
// Rows of BED, regions from BED files and texts on the genome's contigs, and the regions chosen on a command line.
#include "seq/genome/regions.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/genome/contig_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with_word(const char *line, const char *word) {
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && strchr(" \t", line[length]);
}

bool gw_bed_is_comment(const char *line) {
    return !line[strspn(line, " \t")] || line[0] == '#' || starts_with_word(line, "track") ||
           starts_with_word(line, "browser");
}

// Tables and lists of variants often begin with a line of names.
static gw_status no_number(const char *column, const char *text) {
    char reason[256];
    const bool word = text[0] && text[strcspn(text, "0123456789")] == 0;
    snprintf(reason, sizeof reason, "%s", gw_message());
    return gw_fail(GW_ERR_FORMAT, "%s: %s%s", column, reason,
                   word ? " (a line of column names needs a # before it)" : "");
}

gw_status gw_bed_parse(gw_bed_row *row, char *line) {
    *row = (gw_bed_row){.strand = '.'};
    row->count = strchr(line, '\t') ? gw_split(line, '\t', row->columns, GW_BED_COLUMNS)
                                    : gw_split_blanks(line, row->columns, GW_BED_COLUMNS);
    char **columns = row->columns;
    if (row->count < 3)
        return gw_fail(GW_ERR_FORMAT, "expected at least three columns (contig, start, end), found %d", row->count);
    row->contig = columns[0];
    if (gw_parse_int(columns[1], 0, INT64_MAX / 2, &row->begin) != GW_OK)
        return no_number("column 2, the start", columns[1]);
    if (gw_parse_int(columns[2], 0, INT64_MAX / 2, &row->end) != GW_OK)
        return no_number("column 3, the end", columns[2]);
    if (row->begin > row->end)
        return gw_fail(GW_ERR_RANGE, "the region starts at %lld, behind its end %lld", (long long)row->begin,
                       (long long)row->end);
    if (row->count >= 4) row->name = columns[3];
    if (row->count < 6) return GW_OK;
    if (strlen(columns[5]) != 1 || !strchr("+-.", columns[5][0]))
        return gw_fail(GW_ERR_FORMAT, "column 6, the strand: expected +, - or ., found '%s'", columns[5]);
    row->strand = columns[5][0];
    return GW_OK;
}

void gw_bed_warn_of_empty(const char *path, int64_t empty, int64_t rows) {
    if (2 * empty > rows)
        gw_warn("%s: %lld of %lld regions have 0 bp: BED counts from 0, so a single base is [n - 1, n)", path,
                (long long)empty, (long long)rows);
}

gw_status gw_regions_add(gw_regions *regions, gw_region region) {
    const gw_status status = gw_reserve(&regions->items, &regions->capacity, regions->count + 1, sizeof region);
    if (status == GW_OK) regions->items[regions->count++] = region;
    else free(region.name);
    return status;
}

void gw_regions_free(gw_regions *regions) {
    for (int64_t i = 0; i < regions->count; i++) free(regions->items[i].name);
    free(regions->items);
    *regions = (gw_regions){0};
}

// Fills region.contig and checks that the region lies on it.
static gw_status place(gw_region *region, const gw_genome *genome, const char *name) {
    region->contig = gw_genome_find(genome, name, -1);
    if (region->contig < 0) return gw_unknown_contig(genome, name);
    const int64_t length = gw_genome_length(genome, region->contig);
    if (region->end > length)
        return gw_fail(GW_ERR_RANGE, "the region ends at %lld, past the end of contig '%s' (%lld bp)",
                       (long long)region->end, gw_genome_name(genome, region->contig), (long long)length);
    return GW_OK;
}

typedef struct {
    gw_regions *regions;
    const gw_genome *genome;
} bed_reader;

static gw_status read_row(void *context, const gw_line_reader *reader, char *line) {
    const bed_reader *bed = context;
    gw_region region = {.strand = '.', .line = gw_lines_number(reader)};
    if (gw_bed_is_comment(line)) return GW_OK;
    gw_bed_row row;
    gw_status status = gw_bed_parse(&row, line);
    if (status == GW_OK) {
        region.begin = row.begin;
        region.end = row.end;
        region.strand = row.strand;
        status = place(&region, bed->genome, row.contig);
    }
    if (status == GW_OK && row.name && !(region.name = gw_strdup(row.name))) status = GW_ERR_MEMORY;
    if (status == GW_OK) return gw_regions_add(bed->regions, region);
    return gw_fail_in(status, "%s:%lld", gw_lines_path(reader), (long long)region.line);
}

gw_status gw_regions_read_bed(gw_regions *regions, gw_genome *genome, const char *path) {
    const int64_t before = regions->count;
    int64_t empty = 0;
    GW_TRY(gw_lines_each(path, read_row, &(bed_reader){regions, genome}));
    for (int64_t i = before; i < regions->count; i++) empty += regions->items[i].begin == regions->items[i].end;
    gw_bed_warn_of_empty(path, empty, regions->count - before);
    return GW_OK;
}

// "beg-end", "beg-" or "pos": 1-based inclusive into 0-based half-open. `length` is the contig's.
static gw_status parse_span(gw_region *region, char *text, int64_t length) {
    char *dash = strchr(text, '-');
    const bool open_end = dash && !dash[1];
    if (dash) *dash = 0;
    GW_TRY(gw_parse_int(text, 1, INT64_MAX, &region->begin));
    region->end = open_end ? length : region->begin;
    if (dash && !open_end) GW_TRY(gw_parse_int(dash + 1, 1, INT64_MAX, &region->end));
    if (region->end < region->begin) return gw_fail(GW_ERR_RANGE, "the region ends before it starts");
    region->begin--;
    return GW_OK;
}

// A name that holds a colon is tried as a whole first.
static gw_status parse_region(gw_regions *regions, const gw_genome *genome, char *text) {
    gw_region region = {.strand = '.'};
    char *colon = gw_genome_find(genome, text, -1) < 0 ? strrchr(text, ':') : NULL;
    if (colon) *colon = 0;
    const int contig = gw_genome_find(genome, text, -1);
    if (contig < 0) return gw_unknown_contig(genome, text);
    region.end = gw_genome_length(genome, contig);
    if (colon) GW_TRY(parse_span(&region, colon + 1, region.end));
    GW_TRY(place(&region, genome, text));
    return gw_regions_add(regions, region);
}

// Whether a comma groups the digits of a position, as browsers write them (chr1:71,134-71,136), and ends no region:
// three digits follow, which are not a contig's name.
static bool groups_digits(const gw_genome *genome, const char *region, const char *comma) {
    char group[4] = "";
    if (strspn(comma + 1, "0123456789") != 3 || !strchr(",-", comma[4])) return false;
    if (comma == region || !isdigit((unsigned char)comma[-1]) || !memchr(region, ':', (size_t)(comma - region)))
        return false;
    memcpy(group, comma + 1, 3);
    return gw_genome_find(genome, group, -1) < 0;
}

// The next region of a list, without commas in its positions.
static char *next_region(const gw_genome *genome, char **rest) {
    char *region = *rest;
    for (char *comma = strchr(region, ','); comma; comma = strchr(comma, ',')) {
        if (groups_digits(genome, region, comma)) memmove(comma, comma + 1, strlen(comma));
        else {
            *comma = 0;
            *rest = comma + 1;
            return region;
        }
    }
    *rest = NULL;
    return region;
}

gw_status gw_regions_parse(gw_regions *regions, gw_genome *genome, const char *text) {
    char *copy = gw_strdup(text), *rest = copy;
    if (!copy) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    while (status == GW_OK && rest) {
        char *one = next_region(genome, &rest), *shown = gw_strdup(one);
        status = shown ? parse_region(regions, genome, one) : GW_ERR_MEMORY;
        if (status != GW_OK && shown) status = gw_fail_in(status, "region '%s'", shown);
        free(shown);
    }
    free(copy);
    return status;
}

static int compare(const void *a, const void *b) {
    const gw_region *x = a, *y = b;
    if (x->contig != y->contig) return x->contig < y->contig ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line); // keeps the file's order
}

void gw_regions_sort(gw_regions *regions) {
    if (regions->count > 1) qsort(regions->items, (size_t)regions->count, sizeof *regions->items, compare);
}

void gw_regions_merge(gw_regions *regions) {
    gw_regions_sort(regions);
    int64_t kept = 0;
    for (int64_t i = 0; i < regions->count; i++) {
        gw_region region = regions->items[i];
        free(region.name);
        region.name = NULL;
        gw_region *last = kept > 0 ? &regions->items[kept - 1] : NULL;
        if (!last || last->contig != region.contig || last->end < region.begin) regions->items[kept++] = region;
        else if (last->end < region.end) last->end = region.end;
    }
    regions->count = kept;
}

int64_t gw_regions_first(const gw_regions *merged, int contig, int64_t begin) {
    const gw_region *items = merged->items;
    return GW_FIRST_NOT(i, merged->count,
                        items[i].contig < contig || (items[i].contig == contig && items[i].end <= begin));
}

int gw_regions_overlap(const gw_regions *merged, int contig, int64_t begin, int64_t end) {
    return gw_regions_covered(merged, contig, begin, end) > 0;
}

int64_t gw_regions_covered(const gw_regions *merged, int contig, int64_t begin, int64_t end) {
    int64_t covered = 0;
    for (int64_t i = gw_regions_first(merged, contig, begin); i < merged->count; i++) {
        const gw_region *region = &merged->items[i];
        if (region->contig != contig || region->begin >= end) break;
        covered += gw_max(0, gw_min(region->end, end) - gw_max(region->begin, begin));
    }
    return covered;
}

bool gw_region_choice_is_empty(const gw_region_choice *choice) {
    return !choice->regions && !choice->regions_file && !choice->targets && !choice->targets_file;
}

static gw_status read_both(gw_regions *regions, gw_genome *genome, const char *text, const char *path) {
    if (text) GW_TRY(gw_regions_parse(regions, genome, text));
    return path ? gw_regions_read_bed(regions, genome, path) : GW_OK;
}

static gw_status add_piece(gw_regions *regions, const gw_region *whole, int64_t begin, int64_t end) {
    if (begin >= end) return GW_OK;
    gw_region piece = *whole;
    piece.begin = begin;
    piece.end = end;
    piece.name = whole->name ? gw_strdup(whole->name) : NULL;
    if (whole->name && !piece.name) return GW_ERR_MEMORY;
    return gw_regions_add(regions, piece);
}

// Adds the parts of `whole` inside the merged targets, or outside them.
static gw_status cut(gw_regions *regions, const gw_region *whole, const gw_regions *targets, bool inside) {
    int64_t outside_from = whole->begin;
    for (int64_t i = gw_regions_first(targets, whole->contig, whole->begin); i < targets->count; i++) {
        const gw_region *target = &targets->items[i];
        if (target->contig != whole->contig || target->begin >= whole->end) break;
        const int64_t begin = gw_max(target->begin, whole->begin), end = gw_min(target->end, whole->end);
        if (inside) GW_TRY(add_piece(regions, whole, begin, end));
        else GW_TRY(add_piece(regions, whole, outside_from, begin));
        outside_from = end;
    }
    return inside ? GW_OK : add_piece(regions, whole, outside_from, whole->end);
}

// Targets that start with ^ are to be left out; a text and a file must then agree.
static gw_status read_targets(gw_regions *targets, gw_genome *genome, const gw_region_choice *choice, bool *inside) {
    const char *text = choice->targets, *path = choice->targets_file;
    const bool text_out = text && text[0] == '^', path_out = path && path[0] == '^';
    if (text && path && text_out != path_out)
        return gw_fail(GW_ERR_UNSUPPORTED, "targets by -t and by -T are either both kept or both left out (^)");
    *inside = !text_out && !path_out;
    GW_TRY(read_both(targets, genome, text ? text + text_out : NULL, path ? path + path_out : NULL));
    gw_regions_merge(targets);
    return GW_OK;
}

gw_status gw_regions_choose(gw_regions *regions, gw_genome *genome, const gw_region_choice *choice) {
    gw_regions wholes = {0}, targets = {0};
    bool inside = false;
    gw_status status = GW_OK;
    if (choice->regions || choice->regions_file)
        GW_TRY_GOTO(status, read_both(&wholes, genome, choice->regions, choice->regions_file), done);
    else
        for (int i = 0; i < gw_genome_contigs(genome); i++) {
            const gw_region whole = {.contig = i, .end = gw_genome_length(genome, i), .strand = '.'};
            GW_TRY_GOTO(status, gw_regions_add(&wholes, whole), done);
        }
    if (choice->targets || choice->targets_file)
        GW_TRY_GOTO(status, read_targets(&targets, genome, choice, &inside), done);
    for (int64_t i = 0; i < wholes.count && status == GW_OK; i++)
        status = cut(regions, &wholes.items[i], &targets, inside);
done:
    gw_regions_free(&wholes);
    gw_regions_free(&targets);
    return status;
}
