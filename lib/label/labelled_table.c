// SPDX-License-Identifier: MIT
// Tables with a column `sequence`. Fields of a CSV may be quoted, with "" for a quote; a field never spans lines.
#include "label/labelled_table.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "seq/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { COLUMN_IGNORED, COLUMN_SEQUENCE, COLUMN_SPLIT, COLUMN_TSS_OFFSET, COLUMN_LABEL } column_kind;

typedef struct {
    gw_line_reader *lines;
    const gw_labelled_options *options;
    gw_labelled_part *part;
    char separator;
    column_kind *kinds; // [columns]
    char **fields;      // [columns + 1]
    char **header;      // [columns] names
    int columns;
    bool has_splits;
    int64_t row; // of the file
    int64_t base_capacity, start_capacity, row_capacity, value_capacity, bases;
} table_reader;

static column_kind kind_of(const char *name) {
    static const char *const ignored[] = {"", "name", "id", "region", "strand", "kind"};
    if (strcmp(name, "sequence") == 0) return COLUMN_SEQUENCE;
    if (strcmp(name, "split") == 0) return COLUMN_SPLIT;
    if (strcmp(name, "tss_offset") == 0) return COLUMN_TSS_OFFSET;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (strcmp(name, ignored[i]) == 0) return COLUMN_IGNORED;
    return COLUMN_LABEL;
}

// Takes the quotes off a field that starts at `from`; *end is its separator, NULL at the end of the line.
static gw_status unquote(const table_reader *r, char *from, char **end) {
    char *to = from;
    for (char *c = from + 1; *c; c++) {
        if (*c == '"' && c[1] == '"') {
            c++;
        } else if (*c == '"') {
            if (c[1] && c[1] != r->separator)
                return gw_lines_fail(r->lines, GW_ERR_FORMAT, "'%c' follows a closing quote", c[1]);
            *end = c[1] ? c + 1 : NULL;
            *to = 0;
            return GW_OK;
        }
        *to++ = *c;
    }
    return gw_lines_fail(r->lines, GW_ERR_FORMAT, "a quote is not closed on its line");
}

// Splits a line into at most `most` fields; *count may reach most + 1 where there are more.
static gw_status split_line(const table_reader *r, char *line, char **fields, int most, int *count) {
    char *at = line;
    for (*count = 0; at && *count < most;) {
        fields[(*count)++] = at;
        char *end = NULL;
        if (r->separator == ',' && *at == '"') {
            GW_TRY(unquote(r, at, &end));
        } else {
            end = strchr(at, r->separator);
            if (end) *end = 0;
        }
        at = end ? end + 1 : NULL;
    }
    if (at) ++*count;
    return GW_OK;
}

static int count_separators(const char *line, char separator) {
    int count = 0;
    for (; *line; line++) count += *line == separator;
    return count;
}

static gw_status keep_header(table_reader *r) {
    gw_labelled_part *part = r->part;
    int sequences = 0;
    for (int c = 0; c < r->columns; c++) {
        r->kinds[c] = kind_of(r->fields[c]);
        sequences += r->kinds[c] == COLUMN_SEQUENCE;
        r->has_splits |= r->kinds[c] == COLUMN_SPLIT;
        if (!(r->header[c] = gw_strdup(r->fields[c]))) return GW_ERR_MEMORY;
        if (r->kinds[c] != COLUMN_LABEL) continue;
        if (!(part->label_names[part->labels] = gw_strdup(r->fields[c]))) return GW_ERR_MEMORY;
        part->labels++;
    }
    if (sequences != 1)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "the header needs one column named sequence, found %d",
                             sequences);
    return r->has_splits ? GW_OK : gw_no_splits(r->options, gw_lines_path(r->lines));
}

// A table without a header, as GENA-LM writes DeepSEA's set: a sequence and then numbers from 0 to 1. No name of a
// column is as long as a sequence that is worth reading, or all of letters of bases with numbers behind it.
static bool is_headerless(const table_reader *r) {
    enum { LEAST_BASES = 8 };
    double number;
    const char *first = r->fields[0];
    if (strlen(first) < LEAST_BASES || first[strspn(first, "ACGTUNRYSWKMBDHVacgtunryswkmbdhv")] || r->columns < 2)
        return false;
    for (int c = 1; c < r->columns; c++)
        if (gw_parse_double(r->fields[c], 0, 1, &number) != GW_OK) return false;
    return true;
}

static gw_status name_columns(table_reader *r) {
    gw_labelled_part *part = r->part;
    for (int c = 0; c < r->columns; c++) {
        r->kinds[c] = c == 0 ? COLUMN_SEQUENCE : COLUMN_LABEL;
        r->header[c] = c == 0 ? gw_strdup("sequence") : gw_strprintf("label_%d", c);
        if (!r->header[c]) return GW_ERR_MEMORY;
        if (c > 0 && !(part->label_names[part->labels++] = gw_strdup(r->header[c]))) return GW_ERR_MEMORY;
    }
    return gw_no_splits(r->options, gw_lines_path(r->lines));
}

static gw_status add_sequence(table_reader *r, const char *text) {
    gw_labelled_part *part = r->part;
    const int64_t length = (int64_t)strlen(text);
    if (length == 0) return gw_lines_fail(r->lines, GW_ERR_FORMAT, "the sequence is empty");
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c))
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "'%c' at base %lld is no letter", *c,
                                 (long long)(c - text + 1));
    GW_TRY(gw_reserve(&part->bases, &r->base_capacity, r->bases + length, 1));
    GW_TRY(gw_reserve(&part->base_start, &r->start_capacity, part->count + 2, sizeof *part->base_start));
    memcpy(part->bases + r->bases, text, (size_t)length);
    gw_normalise_bases(part->bases + r->bases, length);
    part->base_start[part->count] = r->bases;
    r->bases += length;
    part->base_start[part->count + 1] = r->bases;
    return GW_OK;
}

static bool is_missing(const char *text) {
    return !*text || strcmp(text, "NA") == 0 || strcasecmp(text, "nan") == 0;
}

static gw_status add_values(table_reader *r) {
    gw_labelled_part *part = r->part;
    GW_TRY(gw_reserve(&part->values, &r->value_capacity, (part->count + 1) * part->labels, sizeof *part->values));
    float *value = part->values ? part->values + part->count * part->labels : NULL;
    for (int c = 0; c < r->columns; c++) {
        if (r->kinds[c] != COLUMN_LABEL) continue;
        double number = NAN;
        if (!is_missing(r->fields[c])) {
            const gw_status status = gw_parse_double(r->fields[c], 0, 1, &number);
            if (status != GW_OK)
                return gw_lines_fail(r->lines, status, "label column '%s': %s", r->header[c], gw_message());
        }
        *value++ = (float)number;
    }
    return GW_OK;
}

// The TSS offset is a property of the set where every row has the same.
static gw_status note_tss_offset(table_reader *r, const char *text) {
    int64_t offset = -1;
    if (!is_missing(text) && strcmp(text, ".") != 0) {
        const gw_status status = gw_parse_int(text, 0, INT32_MAX, &offset);
        if (status != GW_OK) return gw_lines_fail(r->lines, status, "tss_offset: %s", gw_message());
    }
    if (r->part->count == 0) r->part->tss_offset = offset;
    else if (r->part->tss_offset != offset) r->part->tss_offset = -1;
    return GW_OK;
}

// Takes the row whose fields are split.
static gw_status take_row(table_reader *r) {
    r->row++;
    for (int c = 0; c < r->columns; c++)
        if (r->kinds[c] == COLUMN_SPLIT && !gw_split_wanted(r->options, r->fields[c])) return GW_OK;
    for (int c = 0; c < r->columns; c++) {
        if (r->kinds[c] == COLUMN_SEQUENCE) GW_TRY(add_sequence(r, r->fields[c]));
        if (r->kinds[c] == COLUMN_TSS_OFFSET) GW_TRY(note_tss_offset(r, r->fields[c]));
    }
    if (r->part->labels > 0) GW_TRY(add_values(r));
    GW_TRY(gw_reserve(&r->part->row, &r->row_capacity, r->part->count + 1, sizeof *r->part->row));
    r->part->row[r->part->count++] = r->row;
    return GW_OK;
}

static gw_status read_header(table_reader *r) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(r->lines, &line, &length));
    if (!line) return gw_fail(GW_ERR_FORMAT, "%s is empty", gw_lines_path(r->lines));
    r->separator = strchr(line, '\t') ? '\t' : ',';
    const int most = count_separators(line, r->separator) + 1;
    r->kinds = gw_alloc(most, sizeof *r->kinds);
    r->fields = gw_alloc(most + 1, sizeof *r->fields);
    r->header = gw_alloc(most, sizeof *r->header);
    r->part->label_names = gw_alloc(most, sizeof *r->part->label_names);
    if (!r->kinds || !r->fields || !r->header || !r->part->label_names) return GW_ERR_MEMORY;
    int count;
    GW_TRY(split_line(r, line, r->fields, most, &count));
    r->columns = count;
    if (!is_headerless(r)) return keep_header(r);
    GW_TRY(name_columns(r));
    return take_row(r);
}

static gw_status read_row(table_reader *r, char *line) {
    int count;
    GW_TRY(split_line(r, line, r->fields, r->columns, &count));
    if (count != r->columns)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "%s%d fields where the header has %d",
                             count > r->columns ? "more than " : "", count > r->columns ? r->columns : count,
                             r->columns);
    return take_row(r);
}

static gw_status read_rows(table_reader *r) {
    for (;;) {
        char *line;
        int64_t length;
        GW_TRY(gw_lines_next(r->lines, &line, &length));
        if (!line) return GW_OK;
        if ((int64_t)strlen(line) != length)
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "the line holds a zero byte");
        if (length == 0) continue;
        GW_TRY(read_row(r, line));
        if (r->row % 4096 == 0) GW_TRY(gw_check_interrupt());
    }
}

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options, gw_labelled_part *part) {
    *part = (gw_labelled_part){.tss_offset = -1};
    table_reader r = {.options = options, .part = part};
    GW_TRY(gw_lines_open(path, &r.lines));
    gw_status status = read_header(&r);
    if (status == GW_OK) status = read_rows(&r);
    gw_lines_close(r.lines);
    for (int c = 0; r.header && c < r.columns; c++) free(r.header[c]);
    free(r.header);
    free(r.kinds);
    free(r.fields);
    if (status != GW_OK) gw_labelled_part_free(part);
    return status;
}
