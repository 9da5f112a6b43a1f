// SPDX-License-Identifier: MIT
// How fast tables of rows are written: a million rows of 20 columns, as text and, where the plugin is, as Parquet.
//   GODWIT_PLUGIN_PATH=build build/bench/bench_rows [FOLDER [ROWS]]
// Prints file, rows, columns, seconds and bytes.
#include "base/clock.h"
#include "file/table_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { TEXTS = 5, INTEGERS = 3, FLOATS = 12, SEED = 1 };

// Columns as those of scores: names and bases, places, numbers of which some are missing.
static gw_status write_rows(const char *path, int64_t rows) {
    static const char *const bases[] = {"A", "C", "G", "T"};
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_status status = GW_OK;
    for (int i = 0; i < TEXTS; i++) gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "text%d", i);
    for (int i = 0; i < INTEGERS; i++) gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "integer%d", i);
    for (int i = 0; i < FLOATS; i++) gw_columns_add(&columns, GW_COLUMN_FLOAT, NULL, "float%d", i);
    GW_TRY(gw_table_writer_open(path, &columns, "", &out));
    for (int64_t r = 0; status == GW_OK && r < rows; r++) {
        uint64_t x = (uint64_t)r * 0x9E3779B97F4A7C15ULL + SEED;
        gw_cell_text(out, "chr1");
        gw_cell_text(out, r % 7 ? NULL : "rs80357410");
        gw_cell_text(out, bases[r % 4]);
        gw_cell_text(out, bases[(r / 4) % 4]);
        gw_cell_text(out, r % 50 ? "PASS" : "NOGENE");
        for (int i = 0; i < INTEGERS; i++) gw_cell_integer(out, i == 0 ? r : (int64_t)((x >> 8 * i) & 63) - 32);
        for (int i = 0; i < FLOATS; i++) {
            x = x * 6364136223846793005ULL + 1442695040888963407ULL;
            if (r % 50 == 0) gw_cell_missing(out);
            else gw_cell_real(out, (double)(float)((double)(x >> 11) * 0x1p-53 - 0.5));
        }
        status = gw_row_end(out);
    }
    return gw_table_writer_end(status, out);
}

int main(int argc, char **argv) {
    static const char *const endings[] = {"tsv", "tsv.gz", "parquet"};
    const char *folder = argc > 1 ? argv[1] : "/tmp";
    const int64_t rows = argc > 2 ? atoll(argv[2]) : 1000000;
    printf("file\trows\tcolumns\tseconds\tbytes\n");
    for (int i = 0; i < 3; i++) {
        char path[4096];
        struct stat info;
        snprintf(path, sizeof path, "%s/godwit-rows.%s", folder, endings[i]);
        const double begin = gw_seconds_now();
        if (gw_table_writer_check(path) != GW_OK || write_rows(path, rows) != GW_OK) {
            fprintf(stderr, "%s\n", gw_message());
            continue;
        }
        const double seconds = gw_seconds_now() - begin;
        if (stat(path, &info) == 0)
            printf("%s\t%lld\t%d\t%.2f\t%lld\n", endings[i], (long long)rows, TEXTS + INTEGERS + FLOATS, seconds,
                   (long long)info.st_size);
        remove(path);
    }
    return 0;
}
