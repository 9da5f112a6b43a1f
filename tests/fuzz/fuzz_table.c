// SPDX-License-Identifier: MIT
// Bytes as a table of each kind, with and without a header: whatever they say, every field of every row can be read,
// and is text of UTF-8.
#include "base/utf8.h"
#include "file/table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void check(const char *text) {
    const int64_t length = (int64_t)strlen(text);
    if (gw_utf8_valid(text, length) != length) __builtin_trap();
}

static void read_all(const char *path, const gw_table_options *options) {
    static const char *const names = "text|label|1|a";
    gw_table *table;
    const char *text;
    int column;
    bool found = true;
    if (gw_table_open(path, options, &table) != GW_OK) return;
    const bool named = gw_table_column(table, names, &column) == GW_OK;
    for (int64_t c = 0; c < gw_table_columns(table); c++) check(gw_table_header(table, c));
    while (found && gw_table_next(table, &found) == GW_OK && found) {
        for (int64_t c = 0; c < gw_table_columns(table); c++) check(gw_table_field(table, c));
        if (!named) continue;
        if (gw_table_text(table, column, &text) == GW_OK) check(text);
        for (int64_t i = 0; i < gw_table_items(table, column); i++)
            if (gw_table_item(table, column, i, &text) == GW_OK) check(text);
    }
    gw_table_close(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"in", "in.csv", "in.tsv", "in.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        fuzz_file(path, names[i], data, size);
        read_all(path, &(gw_table_options){.ragged = i == 0});
        read_all(path, &(gw_table_options){.headless = true, .header = "text"});
        read_all(path, &(gw_table_options){.fields = true});
    }
    return 0;
}
