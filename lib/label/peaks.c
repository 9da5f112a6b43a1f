// SPDX-License-Identifier: MIT
// Reads peak files by target, and sorts the targets by name and the peaks of each contig by target and begin.
#include "label/profile_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/bed.h"
#include "seq/genome/regions.h"

#include <stdlib.h>
#include <string.h>

const char *const gw_label_rule_names[] = {"overlap", "midpoint", "summit"};

enum { COLUMNS = 10, NAME_COLUMN = 3, SUMMIT_COLUMN = 9 };

typedef struct {
    gw_peaks *peaks;
    gw_genome *genome;
    const gw_line_reader *lines;
    gw_label_rule rule;
    bool from_column;
    int32_t file_target;
    int last_contig; // most lines name the contig of the line before
    gw_names names;  // of the targets
} peak_reader;

static gw_status target_of_name(peak_reader *r, const char *name, int32_t *target) {
    int64_t index;
    GW_TRY(gw_names_add(&r->names, name, &index));
    *target = (int32_t)index;
    return GW_OK;
}

// "a/b/CTCF.narrowPeak.gz" -> "CTCF"
static char *name_of_file(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    for (size_t i = length; i-- > 1;) {
        if (name[i] != '.') continue;
        length = i;
        break;
    }
    return gw_strndup(name, length);
}

static gw_status number_field(const peak_reader *r, const char *field, const char *what, int64_t max, int64_t *out) {
    const gw_status status = gw_parse_int(field, 0, max, out);
    return status == GW_OK ? GW_OK : gw_lines_fail(r->lines, status, "%s: %s", what, gw_message());
}

static gw_status check_place(const peak_reader *r, int contig, const gw_peak *peak) {
    const int64_t length = gw_genome_length(r->genome, contig);
    if (peak->end > length)
        return gw_lines_fail(r->lines, GW_ERR_RANGE, "the peak ends at %lld, past the end of contig '%s' (%lld bp)",
                             (long long)peak->end, gw_genome_name(r->genome, contig), (long long)length);
    return GW_OK;
}

static gw_status contig_of(peak_reader *r, const char *name, int *contig) {
    if (r->last_contig < 0 || strcmp(gw_genome_name(r->genome, r->last_contig), name) != 0)
        r->last_contig = gw_genome_find(r->genome, name, -1);
    *contig = r->last_contig;
    if (*contig >= 0) return GW_OK;
    const gw_status status = gw_unknown_contig(r->genome, name);
    return gw_fail_in(status, "%s:%lld", gw_lines_path(r->lines), (long long)gw_lines_number(r->lines));
}

// Leaves of [begin, end) what the label rule looks at.
static gw_status apply_rule(const peak_reader *r, char **fields, int count, gw_peak *peak) {
    if (r->rule == GW_LABEL_OVERLAP) return GW_OK;
    int64_t point = peak->begin + (peak->end - peak->begin) / 2;
    if (r->rule == GW_LABEL_SUMMIT) {
        if (count <= SUMMIT_COLUMN)
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "no column 10 with the summit (narrowPeak); found %d columns",
                                 count);
        int64_t offset;
        GW_TRY(number_field(r, fields[SUMMIT_COLUMN], "summit (column 10)", peak->end - peak->begin - 1, &offset));
        point = peak->begin + offset;
    }
    peak->begin = point;
    peak->end = point + 1;
    return GW_OK;
}

static gw_status read_peak(void *context, const gw_line_reader *lines, char *line) {
    peak_reader *r = context;
    gw_bed_row row;
    if (gw_bed_is_comment(line)) return GW_OK;
    r->lines = lines;
    const gw_status parsed = gw_bed_parse(&row, line);
    if (parsed != GW_OK)
        return gw_fail_in(parsed, "%s:%lld", gw_lines_path(r->lines), (long long)gw_lines_number(r->lines));
    int contig;
    char **fields = row.columns;
    const int count = row.count;
    gw_peak peak = {.target = r->file_target, .begin = row.begin, .end = row.end};
    GW_TRY(contig_of(r, row.contig, &contig));
    GW_TRY(check_place(r, contig, &peak));
    if (peak.begin == peak.end) {
        r->peaks->empty++;
        return GW_OK;
    }
    if (r->from_column) {
        if (count <= NAME_COLUMN || !*fields[NAME_COLUMN])
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "no target name in column 4");
        GW_TRY(target_of_name(r, fields[NAME_COLUMN], &peak.target));
    }
    GW_TRY(apply_rule(r, fields, count, &peak));
    gw_contig_peaks *list = &r->peaks->contigs[contig];
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = peak;
    r->peaks->count++;
    return GW_OK;
}

static gw_status read_file(peak_reader *r, const char *path) {
    if (!r->from_column) GW_TRY(gw_names_append(&r->names, name_of_file(path)));
    r->file_target = (int32_t)r->names.count - 1;
    return gw_first_failure(gw_lines_each(path, read_peak, r), gw_check_interrupt());
}

static int by_name(const void *a, const void *b, void *names) {
    char *const *text = names;
    return strcmp(text[*(const int32_t *)a], text[*(const int32_t *)b]);
}

static int by_target_and_begin(const void *a, const void *b) {
    const gw_peak *x = a, *y = b;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// Column-4 names in sorted order, so that the set does not depend on the order of peaks.
static gw_status sort_targets(gw_peaks *peaks) {
    int32_t *order = gw_alloc(peaks->targets, sizeof *order), *rank = gw_alloc(peaks->targets, sizeof *rank);
    char **names = gw_alloc(peaks->targets, sizeof *names);
    const gw_status status = order && rank && names ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        for (int32_t t = 0; t < peaks->targets; t++) order[t] = t;
        qsort_r(order, (size_t)peaks->targets, sizeof *order, by_name, peaks->names);
        for (int32_t t = 0; t < peaks->targets; t++) {
            rank[order[t]] = t;
            names[t] = peaks->names[order[t]];
        }
        for (int c = 0; c < peaks->contig_count; c++)
            for (int64_t i = 0; i < peaks->contigs[c].count; i++)
                peaks->contigs[c].items[i].target = rank[peaks->contigs[c].items[i].target];
        free(peaks->names);
        peaks->names = names;
    } else {
        free(names);
    }
    free(order);
    free(rank);
    return status;
}

gw_status gw_peaks_read(gw_peaks *peaks, gw_genome *genome, char *const *paths, int count, gw_label_rule rule,
                        bool from_column) {
    *peaks = (gw_peaks){.contig_count = gw_genome_contigs(genome)};
    peak_reader r = {.peaks = peaks, .genome = genome, .rule = rule, .from_column = from_column, .last_contig = -1};
    peaks->contigs = gw_alloc(peaks->contig_count, sizeof *peaks->contigs);
    gw_status status = peaks->contigs ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < count; i++) status = read_file(&r, paths[i]);
    if (status == GW_OK && peaks->count == 0)
        status = gw_fail(GW_ERR_FORMAT, peaks->empty > 0 ? "%s holds no peak of 1 bp or more" : "%s holds no peak",
                         paths[0]);
    peaks->targets = (int32_t)r.names.count;
    peaks->names = gw_names_take(&r.names);
    if (status == GW_OK && from_column) status = sort_targets(peaks);
    for (int c = 0; status == GW_OK && c < peaks->contig_count; c++)
        if (peaks->contigs[c].count > 1)
            qsort(peaks->contigs[c].items, (size_t)peaks->contigs[c].count, sizeof(gw_peak), by_target_and_begin);
    if (status != GW_OK) gw_peaks_free(peaks);
    return status;
}

void gw_peaks_free(gw_peaks *peaks) {
    for (int c = 0; peaks->contigs && c < peaks->contig_count; c++) free(peaks->contigs[c].items);
    for (int32_t t = 0; t < peaks->targets; t++) free(peaks->names[t]);
    free(peaks->contigs);
    free(peaks->names);
    *peaks = (gw_peaks){0};
}
