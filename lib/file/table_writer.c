// SPDX-License-Identifier: MIT
// Rows as text lines, or as cells collected by column until a batch goes to the Parquet plugin.
#include "file/table_writer.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/plugin_file.h"
#include "base/string.h"
#include "file/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_BYTES = 1 << 16,  // of text that is handed on at a time
    BATCH_ROWS = 1 << 17,   // of Parquet: a row group has as many,
    BATCH_CELLS = 1 << 22,  // or, of many columns, so many cells,
    BATCH_BYTES = 64 << 20, // or so many bytes of a column's text
    LEAST_ROWS = 1 << 10,
};

// What a column has of the batch.
typedef struct {
    uint8_t *present;
    union {
        void *any;
        int64_t *integers;
        float *floats;
        double *doubles;
    } numbers;
    int32_t *starts;
    gw_string bytes;
} collected;

struct gw_table_writer {
    gw_columns columns;
    const char *missing;
    int64_t at;  // column of the next cell
    bool failed; // for want of memory
    // text
    gw_text_writer *out;
    gw_string lines;
    // Parquet
    const gw_parquet *plugin; // NULL: text
    gw_output output;
    gw_parquet_file *file;
    collected *batch; // [columns]
    gw_column_cells *cells;
    int64_t rows, most_rows, longest; // longest: bytes of the column with the most text
};

// ---- columns

void gw_columns_add(gw_columns *columns, gw_column_kind kind, const char *format, const char *name, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, name);
    if (vasprintf(&text, name, arguments) < 0) text = NULL;
    va_end(arguments);
    if (!text || gw_reserve(&columns->items, &columns->capacity, columns->count + 1, sizeof *columns->items) != GW_OK) {
        free(text);
        columns->failed = true;
        return;
    }
    columns->items[columns->count++] = (gw_column){text, kind, format};
}

void gw_columns_free(gw_columns *columns) {
    for (int64_t i = 0; i < columns->count; i++) free((void *)columns->items[i].name);
    free(columns->items);
    *columns = (gw_columns){0};
}

// ---- the plugin

static gw_status load_plugin(const gw_parquet **plugin) {
    char *path;
    void *symbol;
    gw_parquet_function *entry;
    GW_TRY(gw_plugin_find(GW_PARQUET_FILE, &path));
    gw_status status = gw_plugin_open(path, GW_PARQUET_ENTRY, &symbol);
    if (status == GW_OK) {
        memcpy(&entry, &symbol, sizeof entry); // POSIX: a function's address fits
        *plugin = entry();
        status = gw_plugin_check_abi(path, (*plugin)->abi, GW_PARQUET_ABI);
    }
    free(path);
    return status;
}

bool gw_is_parquet(const char *path) {
    return path && gw_has_suffix(path, ".parquet");
}

static gw_status need_plugin(const char *path, const gw_parquet **plugin) {
    if (load_plugin(plugin) == GW_OK) return GW_OK;
    char *fault = gw_strdup(gw_message());
    const gw_status status =
        gw_fail(GW_ERR_UNSUPPORTED,
                "cannot write %s: Parquet needs a plugin over Apache Arrow's C++ library (%s). "
                "docs/guides/install.md says how to get it; a table named .tsv or .tsv.gz needs none",
                path, fault ? fault : "");
    free(fault);
    return status;
}

gw_status gw_table_writer_check(const char *path) {
    const gw_parquet *plugin;
    return gw_is_parquet(path) ? need_plugin(path, &plugin) : GW_OK;
}

void gw_print_parquet(FILE *out) {
    const gw_parquet *plugin;
    char *path;
    if (gw_plugin_find(GW_PARQUET_FILE, &path) != GW_OK) {
        fprintf(out, "parquet: this build left it out (docs/guides/install.md)\n");
        return;
    }
    free(path);
    fprintf(out, "parquet: %s\n", load_plugin(&plugin) == GW_OK ? plugin->version() : gw_message());
}

// ---- opening

static gw_status open_text(gw_table_writer *w, const char *path) {
    GW_TRY(gw_writer_open(path, &w->out));
    if (w->columns.headless) return GW_OK;
    for (int64_t i = 0; i < w->columns.count; i++) {
        if (i > 0) gw_string_putc(&w->lines, '\t');
        gw_string_put_field(&w->lines, w->columns.items[i].name);
    }
    gw_string_putc(&w->lines, '\n');
    return gw_string_status(&w->lines);
}

static gw_status take_bytes(void *output, const void *bytes, int64_t count) {
    return gw_output_write(output, bytes, count);
}

static gw_status open_parquet(gw_table_writer *w, const char *path) {
    const int64_t count = w->columns.count, by_cells = BATCH_CELLS / (count > 0 ? count : 1);
    GW_TRY(need_plugin(path, &w->plugin));
    GW_TRY(gw_output_open(&w->output, path));
    w->most_rows = by_cells > BATCH_ROWS ? BATCH_ROWS : by_cells < LEAST_ROWS ? LEAST_ROWS : by_cells;
    w->batch = gw_alloc(count, sizeof *w->batch);
    w->cells = gw_alloc(count, sizeof *w->cells);
    if (!w->batch || !w->cells) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        const gw_column_kind kind = w->columns.items[i].kind;
        collected *c = &w->batch[i];
        c->present = gw_alloc(w->most_rows, sizeof *c->present);
        if (kind == GW_COLUMN_TEXT) c->starts = gw_alloc(w->most_rows + 1, sizeof *c->starts);
        else c->numbers.any = gw_alloc(w->most_rows, kind == GW_COLUMN_FLOAT ? 4 : 8);
        if (!c->present || !(kind == GW_COLUMN_TEXT ? (void *)c->starts : c->numbers.any)) return GW_ERR_MEMORY;
    }
    return w->plugin->open(w->columns.items, (int)count, w->columns.made, take_bytes, &w->output, gw_fail, &w->file);
}

gw_status gw_table_writer_open(const char *path, gw_columns *columns, const char *missing, gw_table_writer **out) {
    *out = NULL;
    gw_table_writer *w = gw_alloc(1, sizeof *w);
    if (!w || columns->failed) {
        free(w);
        gw_columns_free(columns);
        return GW_ERR_MEMORY;
    }
    w->columns = *columns;
    *columns = (gw_columns){0};
    w->missing = missing;
    const gw_status status = gw_is_parquet(path) ? open_parquet(w, path) : open_text(w, path);
    if (status == GW_OK) *out = w;
    else gw_table_writer_abandon(w);
    return status;
}

// ---- cells

// The cell that comes next in text, behind its tab.
static const gw_column *next_in_line(gw_table_writer *w) {
    if (w->at > 0) gw_string_putc(&w->lines, '\t');
    return &w->columns.items[w->at++];
}

// The same in the batch.
static collected *next_in_batch(gw_table_writer *w, bool present) {
    collected *c = &w->batch[w->at++];
    c->present[w->rows] = present;
    return c;
}

void gw_cell_missing(gw_table_writer *w) {
    if (!w->plugin) {
        next_in_line(w);
        gw_string_puts(&w->lines, w->missing);
        return;
    }
    collected *c = next_in_batch(w, false);
    switch (w->columns.items[w->at - 1].kind) {
    case GW_COLUMN_TEXT: c->starts[w->rows + 1] = (int32_t)c->bytes.length; break;
    case GW_COLUMN_INTEGER: c->numbers.integers[w->rows] = 0; break;
    case GW_COLUMN_FLOAT: c->numbers.floats[w->rows] = 0; break;
    case GW_COLUMN_DOUBLE: c->numbers.doubles[w->rows] = 0; break;
    }
}

void gw_cell_text(gw_table_writer *w, const char *text) {
    if (!text) {
        gw_cell_missing(w);
    } else if (w->plugin) {
        collected *c = next_in_batch(w, true);
        gw_string_puts(&c->bytes, text);
        c->starts[w->rows + 1] = (int32_t)c->bytes.length;
        if (c->bytes.length > w->longest) w->longest = c->bytes.length;
    } else {
        next_in_line(w);
        gw_string_put_field(&w->lines, text);
    }
}

void gw_cell_printf(gw_table_writer *w, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    if (!text) w->failed = true;
    gw_cell_text(w, text);
    free(text);
}

void gw_cell_integer(gw_table_writer *w, int64_t value) {
    if (w->plugin) {
        next_in_batch(w, true)->numbers.integers[w->rows] = value;
    } else {
        next_in_line(w);
        gw_string_put_integer(&w->lines, value);
    }
}

void gw_cell_real(gw_table_writer *w, double value) {
    if (isnan(value)) {
        gw_cell_missing(w);
    } else if (w->plugin) {
        const bool narrow = w->columns.items[w->at].kind == GW_COLUMN_FLOAT;
        collected *c = next_in_batch(w, true);
        if (narrow) c->numbers.floats[w->rows] = (float)value;
        else c->numbers.doubles[w->rows] = value;
    } else {
        const char *format = next_in_line(w)->format;
        if (format) gw_string_printf(&w->lines, format, value);
        else gw_string_put_real(&w->lines, value);
    }
}

// ---- rows

static gw_status hand_on_lines(gw_table_writer *w) {
    GW_TRY(gw_string_status(&w->lines));
    if (w->lines.length > 0) GW_TRY(gw_writer_write(w->out, w->lines.data, w->lines.length));
    gw_string_clear(&w->lines);
    return GW_OK;
}

static gw_status hand_on_batch(gw_table_writer *w) {
    if (w->rows == 0) return GW_OK;
    for (int64_t i = 0; i < w->columns.count; i++) {
        collected *c = &w->batch[i];
        GW_TRY(gw_string_status(&c->bytes));
        w->cells[i] = (gw_column_cells){c->present, c->numbers.any, c->starts, c->bytes.data ? c->bytes.data : ""};
    }
    GW_TRY(w->plugin->add(w->file, w->cells, w->rows));
    for (int64_t i = 0; i < w->columns.count; i++) gw_string_clear(&w->batch[i].bytes);
    w->rows = w->longest = 0;
    return GW_OK;
}

gw_status gw_row_end(gw_table_writer *w) {
    w->at = 0;
    if (w->failed) return gw_fail(GW_ERR_MEMORY, "out of memory for a row of the table");
    if (w->plugin) return ++w->rows == w->most_rows || w->longest > BATCH_BYTES ? hand_on_batch(w) : GW_OK;
    gw_string_putc(&w->lines, '\n');
    return w->lines.length >= LINES_BYTES ? hand_on_lines(w) : gw_string_status(&w->lines);
}

gw_status gw_table_writer_close(gw_table_writer *w) {
    gw_status status = w->plugin ? hand_on_batch(w) : hand_on_lines(w);
    if (status == GW_OK && w->plugin) status = w->plugin->close(w->file);
    if (status == GW_OK && w->plugin) status = gw_output_close(&w->output);
    if (status == GW_OK && !w->plugin) {
        status = gw_writer_close(w->out);
        w->out = NULL;
    }
    gw_table_writer_abandon(w);
    return status;
}

void gw_table_writer_abandon(gw_table_writer *w) {
    if (!w) return;
    if (w->plugin) w->plugin->free(w->file);
    gw_output_abandon(&w->output);
    gw_writer_abandon(w->out);
    for (int64_t i = 0; w->batch && i < w->columns.count; i++) {
        free(w->batch[i].present);
        free(w->batch[i].numbers.any);
        free(w->batch[i].starts);
        gw_string_free(&w->batch[i].bytes);
    }
    free(w->batch);
    free(w->cells);
    gw_string_free(&w->lines);
    gw_columns_free(&w->columns);
    free(w);
}

gw_status gw_table_writer_end(gw_status status, gw_table_writer *writer) {
    if (status == GW_OK && writer) return gw_table_writer_close(writer);
    gw_table_writer_abandon(writer);
    return status;
}
