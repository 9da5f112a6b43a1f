// SPDX-License-Identifier: MIT
// Tables with a column `sequence`; the other columns are labels, but for those that describe.
#include "label/labelled_table.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "file/table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { COLUMN_IGNORED, COLUMN_SEQUENCE, COLUMN_SPLIT, COLUMN_TSS_OFFSET, COLUMN_LABEL } column_kind;

typedef struct {
    gw_table *table;
    const char *path;
    const gw_labelled_options *options;
    gw_labelled_part *part;
    column_kind *kinds; // [columns]
    int64_t columns;
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

// A table without a header, as GENA-LM writes DeepSEA's set: a sequence and then numbers from 0 to 1. No name of a
// column is as long as a sequence that is worth reading, or all of letters of bases with numbers behind it.
static bool is_row(char *const *fields, int64_t count) {
    enum { LEAST_BASES = 8 };
    double number;
    const char *first = fields[0];
    if (strlen(first) < LEAST_BASES || first[strspn(first, "ACGTUNRYSWKMBDHVacgtunryswkmbdhv")] || count < 2)
        return false;
    for (int64_t c = 1; c < count; c++)
        if (gw_parse_double(fields[c], 0, 1, &number) != GW_OK) return false;
    return true;
}

static gw_status add_label(gw_labelled_part *part, char *name) {
    if (!name) return GW_ERR_MEMORY;
    part->label_names[part->labels++] = name;
    return GW_OK;
}

static gw_status keep_header(table_reader *r) {
    int sequences = 0;
    bool has_splits = false;
    for (int64_t c = 0; c < r->columns; c++) {
        const char *name = gw_table_header(r->table, c);
        r->kinds[c] = kind_of(name);
        if (r->kinds[c] != COLUMN_IGNORED && r->kinds[c] != COLUMN_SEQUENCE) GW_TRY(gw_table_check_name(r->table, c));
        sequences += r->kinds[c] == COLUMN_SEQUENCE;
        has_splits |= r->kinds[c] == COLUMN_SPLIT;
        if (r->kinds[c] == COLUMN_LABEL) GW_TRY(add_label(r->part, gw_strdup(name)));
    }
    if (sequences == 0) return gw_table_lacks(r->table, "sequence");
    if (sequences > 1)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "the header needs one column named sequence, found %d",
                             sequences);
    return has_splits ? GW_OK : gw_no_splits(r->options, r->path);
}

static gw_status name_columns(table_reader *r) {
    r->kinds[0] = COLUMN_SEQUENCE;
    for (int64_t c = 1; c < r->columns; c++) {
        r->kinds[c] = COLUMN_LABEL;
        GW_TRY(add_label(r->part, gw_strprintf("label_%lld", (long long)c)));
    }
    return gw_no_splits(r->options, r->path);
}

static gw_status read_columns(table_reader *r) {
    r->columns = gw_table_columns(r->table);
    r->kinds = gw_alloc(r->columns, sizeof *r->kinds);
    r->part->label_names = gw_alloc(r->columns, sizeof *r->part->label_names);
    if (!r->kinds || !r->part->label_names) return GW_ERR_MEMORY;
    return gw_table_is_headless(r->table) ? name_columns(r) : keep_header(r);
}

static gw_status no_letter(const table_reader *r, char found, int64_t base) {
    if (isprint((unsigned char)found))
        return gw_table_fail(r->table, GW_ERR_FORMAT, "'%c' at base %lld is no letter", found, (long long)base);
    return gw_table_fail(r->table, GW_ERR_FORMAT, "%s at base %lld is no letter",
                         found == '\n' ? "a line break" : "an unprintable byte", (long long)base);
}

static gw_status add_sequence(table_reader *r, const char *text) {
    gw_labelled_part *part = r->part;
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

static gw_status add_values(table_reader *r) {
    gw_labelled_part *part = r->part;
    GW_TRY(gw_reserve(&part->values, &r->value_capacity, (part->count + 1) * part->labels, sizeof *part->values));
    float *value = part->values ? part->values + part->count * part->labels : NULL;
    for (int64_t c = 0; c < r->columns; c++) {
        if (r->kinds[c] != COLUMN_LABEL) continue;
        double number = NAN;
        const char *text = gw_table_field(r->table, c);
        const gw_status status = is_missing(text) ? GW_OK : gw_parse_double(text, 0, 1, &number);
        if (status != GW_OK)
            return gw_table_fail(r->table, status, "label column '%s': %s", gw_table_header(r->table, c), gw_message());
        *value++ = (float)number;
    }
    return GW_OK;
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
    for (int64_t c = 0; c < r->columns; c++)
        if (r->kinds[c] == COLUMN_SPLIT && !gw_split_wanted(r->options, gw_table_field(r->table, c))) return GW_OK;
    for (int64_t c = 0; c < r->columns; c++) {
        if (r->kinds[c] == COLUMN_SEQUENCE) GW_TRY(add_sequence(r, gw_table_field(r->table, c)));
        if (r->kinds[c] == COLUMN_TSS_OFFSET) GW_TRY(note_tss_offset(r, gw_table_field(r->table, c)));
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

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options, gw_labelled_part *part) {
    const gw_table_options table = {.fields = true, .is_row = is_row};
    *part = (gw_labelled_part){.tss_offset = -1};
    table_reader r = {.path = path, .options = options, .part = part};
    GW_TRY(gw_table_open(path, &table, &r.table));
    gw_status status = read_columns(&r);
    if (status == GW_OK) status = read_rows(&r);
    gw_table_close(r.table);
    free(r.kinds);
    if (status != GW_OK) gw_labelled_part_free(part);
    return status;
}
