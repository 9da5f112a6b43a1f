// SPDX-License-Identifier: MIT
// Tables row by row: a sequence or a region, and the values of the label columns.
#include "label/labelled_source.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/table.h"
#include "label/labelled_regions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_table *table;
    const char *path;
    const gw_labelled_options *options;
    gw_labelled_source *part;
    gw_labelled_column *columns; // [column_count]
    int64_t column_count;
    int64_t row; // of the file
    int last_contig;
    int64_t base_capacity, start_capacity, region_capacity, row_capacity, value_capacity, group_capacity, bases;
} table_reader;

static gw_status read_columns(table_reader *r) {
    r->column_count = gw_table_columns(r->table);
    r->columns = gw_alloc(r->column_count, sizeof *r->columns);
    if (!r->columns) return GW_ERR_MEMORY;
    GW_TRY(gw_labelled_columns_read(r->table, r->options, r->columns, r->part));
    for (int64_t c = 0; c < r->column_count; c++)
        if (r->columns[c].kind == GW_COLUMN_SPLIT) return GW_OK;
    return gw_no_splits(r->options, r->path);
}

static gw_status no_letter(const table_reader *r, char found, int64_t base) {
    if (isprint((unsigned char)found))
        return gw_table_fail(r->table, GW_ERR_FORMAT, "'%c' at base %lld is no letter", found, (long long)base);
    return gw_table_fail(r->table, GW_ERR_FORMAT, "%s at base %lld is no letter",
                         found == '\n' ? "a line break" : "an unprintable byte", (long long)base);
}

static gw_status add_sequence(table_reader *r, const char *text) {
    gw_labelled_source *part = r->part;
    const int64_t length = (int64_t)strlen(text);
    if (length == 0) return gw_table_fail(r->table, GW_ERR_FORMAT, "the sequence is empty");
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c)) return no_letter(r, *c, c - text + 1);
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

static gw_status read_value(const table_reader *r, int64_t column, float *value) {
    const bool numbers = r->options->numbers;
    const char *text = gw_table_field(r->table, column);
    double number = NAN;
    if (is_missing(text) && (!numbers || r->options->missing)) {
        *value = NAN;
        return GW_OK;
    }
    const gw_status status = gw_parse_double(text, numbers ? -1e30 : 0, numbers ? 1e30 : 1, &number);
    *value = (float)number;
    if (status == GW_OK) return GW_OK;
    return gw_table_fail(r->table, status, "label column '%s': %s%s", gw_table_header(r->table, column), gw_message(),
                         !numbers           ? ""
                         : is_missing(text) ? "; --missing leaves such numbers out"
                                            : "; --label names the columns of numbers");
}

static gw_status add_values(table_reader *r) {
    gw_labelled_source *part = r->part;
    GW_TRY(gw_reserve(&part->values, &r->value_capacity, (part->count + 1) * part->labels, sizeof *part->values));
    float *values = part->values + part->count * part->labels;
    for (int64_t c = 0; c < r->column_count; c++)
        if (r->columns[c].kind == GW_COLUMN_LABEL) GW_TRY(read_value(r, c, values + r->columns[c].label));
    return GW_OK;
}

// The region whose contig, begin and end stand in columns of their own.
static gw_status add_region(table_reader *r) {
    gw_labelled_source *part = r->part;
    char *fields[3] = {NULL};
    gw_region_row row;
    char strand = '.';
    for (int64_t c = 0; c < r->column_count; c++) {
        const gw_column_kind kind = r->columns[c].kind;
        char *field = (char *)gw_table_field(r->table, c);
        if (kind >= GW_COLUMN_CONTIG && kind <= GW_COLUMN_END) fields[kind - GW_COLUMN_CONTIG] = field;
        if (kind == GW_COLUMN_STRAND && field[0] == '-') strand = '-';
    }
    const gw_status status = gw_labelled_region_place(part->genome, &r->last_contig, fields, &row);
    if (status != GW_OK) return gw_table_fail(r->table, status, "%s", gw_message());
    row.strand = strand;
    GW_TRY(gw_reserve(&part->regions, &r->region_capacity, part->count + 1, sizeof *part->regions));
    part->regions[part->count] = row;
    return GW_OK;
}

static gw_status add_group(table_reader *r, const char *text) {
    gw_labelled_source *part = r->part;
    GW_TRY(gw_reserve(&part->groups, &r->group_capacity, part->count + 1, sizeof *part->groups));
    part->groups[part->count] = gw_strdup(text);
    return part->groups[part->count] ? GW_OK : GW_ERR_MEMORY;
}

// The TSS offset is a property of the set where every row has the same.
static gw_status note_tss_offset(table_reader *r, const char *text) {
    int64_t offset = -1;
    if (!is_missing(text) && strcmp(text, ".") != 0) {
        const gw_status status = gw_parse_int(text, 0, INT32_MAX, &offset);
        if (status != GW_OK) return gw_table_fail(r->table, status, "tss_offset: %s", gw_message());
    }
    if (r->part->count == 0) r->part->tss_offset = offset;
    else if (r->part->tss_offset != offset) r->part->tss_offset = -1;
    return GW_OK;
}

// Takes the row whose fields are split.
static gw_status take_row(table_reader *r) {
    r->row++;
    for (int64_t c = 0; c < r->column_count; c++)
        if (r->columns[c].kind == GW_COLUMN_SPLIT && !gw_split_wanted(r->options, gw_table_field(r->table, c)))
            return GW_OK;
    for (int64_t c = 0; c < r->column_count; c++) {
        const char *field = gw_table_field(r->table, c);
        if (r->columns[c].kind == GW_COLUMN_SEQUENCE) GW_TRY(add_sequence(r, field));
        if (r->columns[c].kind == GW_COLUMN_CONTIG) GW_TRY(add_region(r));
        if (r->columns[c].kind == GW_COLUMN_TSS_OFFSET) GW_TRY(note_tss_offset(r, field));
        if (r->columns[c].groups) GW_TRY(add_group(r, field));
    }
    if (r->part->labels > 0) GW_TRY(add_values(r));
    GW_TRY(gw_reserve(&r->part->row, &r->row_capacity, r->part->count + 1, sizeof *r->part->row));
    r->part->row[r->part->count++] = r->row;
    return GW_OK;
}

static gw_status read_rows(table_reader *r) {
    for (bool found;;) {
        GW_TRY(gw_table_next(r->table, &found));
        if (!found) return GW_OK;
        GW_TRY(take_row(r));
        if (r->row % 4096 == 0) GW_TRY(gw_check_interrupt());
    }
}

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options, gw_labelled_source *part) {
    const gw_table_options table = {.fields = true, .is_row = gw_labelled_is_row(options)};
    *part = (gw_labelled_source){.tss_offset = -1, .genome = options->genome};
    table_reader r = {.path = path, .options = options, .part = part, .last_contig = -1};
    GW_TRY(gw_table_open(path, &table, &r.table));
    gw_status status = read_columns(&r);
    if (status == GW_OK) status = read_rows(&r);
    if (status == GW_OK && options->track_count > 0) status = gw_track_labels_read(options, part);
    gw_table_close(r.table);
    free(r.columns);
    if (status != GW_OK) gw_labelled_source_free(part);
    return status;
}
