// SPDX-License-Identifier: MIT
// Reads the tables by their columns' names.
#include "fetch/catalogue.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/table.h"
#include "store/installed.h"

#include <stdlib.h>
#include <string.h>

static const char table_name[] = "available.tsv";
enum { NAME, FILE_NAME, SHA256, KIND, LICENCE, URL, PURPOSE, BYTES, COLUMNS, SHA256_DIGITS = 64 };
static const char *const column_names[COLUMNS] = {"name",    "file", "sha256",  "kind",
                                                  "licence", "url",  "purpose", "bytes"};

int gw_is_plain_name(const char *text) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return *text && *text != '.' && *text != '-' && !text[strspn(text, letters)];
}

static void free_row(gw_catalogue_row *row) {
    free(row->name);
    free(row->file);
    free(row->sha256);
    free(row->kind);
    free(row->licence);
    free(row->url);
    free(row->purpose);
}

void gw_catalogue_free(gw_catalogue *catalogue) {
    for (int64_t i = 0; i < catalogue->count; i++) free_row(&catalogue->rows[i]);
    free(catalogue->rows);
    *catalogue = (gw_catalogue){0};
}

static gw_status fill_row(gw_table *table, const int columns[COLUMNS], gw_catalogue_row *row) {
    char **const fields[BYTES] = {&row->name,    &row->file, &row->sha256, &row->kind,
                                  &row->licence, &row->url,  &row->purpose};
    const char *text;
    for (int c = 0; c < BYTES; c++) {
        GW_TRY(gw_table_text(table, columns[c], &text));
        if (!(*fields[c] = gw_strdup(text))) return GW_ERR_MEMORY;
    }
    GW_TRY(gw_table_text(table, columns[BYTES], &text));
    const gw_status status = gw_parse_int(text, 1, INT64_MAX, &row->bytes);
    if (status != GW_OK) return gw_table_fail(table, status, "bytes: %s", gw_message());
    if (!gw_is_plain_name(row->name) || !gw_is_plain_name(row->file))
        return gw_table_fail(table, GW_ERR_FORMAT,
                             "'%s', '%s': names are letters, digits, '_', '.' and '-', the last two "
                             "not first",
                             row->name, row->file);
    if (strlen(row->sha256) != SHA256_DIGITS || strspn(row->sha256, "0123456789abcdef") != SHA256_DIGITS)
        return gw_table_fail(table, GW_ERR_FORMAT, "sha256 is '%.70s', expected 64 hexadecimal digits", row->sha256);
    return GW_OK;
}

static gw_status read_rows(gw_table *table, gw_catalogue *out) {
    const int64_t before = out->count;
    int columns[COLUMNS];
    bool found;
    for (int c = 0; c < COLUMNS; c++) GW_TRY(gw_table_column(table, column_names[c], &columns[c]));
    for (;;) {
        gw_catalogue_row row = {0};
        GW_TRY(gw_table_next(table, &found));
        if (!found) return GW_OK;
        gw_status status = fill_row(table, columns, &row);
        bool taken = status == GW_OK; // unless a table before has the name
        for (int64_t i = 0; taken && i < before; i++) taken = strcmp(out->rows[i].name, row.name) != 0;
        if (taken) status = gw_reserve(&out->rows, &out->capacity, out->count + 1, sizeof *out->rows);
        if (taken && status == GW_OK) out->rows[out->count++] = row;
        else free_row(&row);
        GW_TRY(status);
    }
}

static gw_status read_table(void *catalogue, const char *folder) {
    char *path = gw_join_path(folder, table_name);
    gw_table *table = NULL;
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) {
        status = gw_table_open(path, &(gw_table_options){0}, &table);
        if (status == GW_OK) status = read_rows(table, catalogue);
        gw_table_close(table);
    }
    free(path);
    return status;
}

gw_status gw_catalogue_read(gw_catalogue *out) {
    *out = (gw_catalogue){0};
    return gw_model_folders_each(read_table, out);
}

gw_status gw_catalogue_find(const gw_catalogue *catalogue, const char *name, const gw_catalogue_row **first,
                            int64_t *count) {
    int64_t i = 0, end;
    while (i < catalogue->count && strcmp(catalogue->rows[i].name, name) != 0) i++;
    for (end = i; end < catalogue->count && strcmp(catalogue->rows[end].name, name) == 0;) end++;
    *count = end - i;
    *first = *count > 0 ? &catalogue->rows[i] : NULL;
    if (*first) return GW_OK;
    gw_string names = {0};
    int least = GW_NEAREST_ANY;
    const char *nearest = NULL, *last = "";
    for (i = 0; i < catalogue->count; i++) {
        const char *has = catalogue->rows[i].name;
        if (strcmp(has, last) == 0) continue;
        gw_string_printf(&names, "%s%s", i > 0 ? ", " : "; there are: ", has);
        if (gw_is_nearer(name, has, &least)) nearest = has;
        last = has;
    }
    if (nearest) gw_string_printf(&names, "; the nearest is '%s'", nearest);
    gw_status status = gw_string_status(&names);
    if (status == GW_OK)
        status = gw_fail(GW_ERR_RANGE, "no model '%s' is known%s", name,
                         names.data ? names.data : "; the catalogue is empty");
    gw_string_free(&names);
    return status;
}
