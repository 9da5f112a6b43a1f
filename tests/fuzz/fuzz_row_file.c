// SPDX-License-Identifier: MIT
// Bytes as a file of labels: every byte of every row that it claims can be read.
#include "label/row_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_row_file *file;
    int64_t set = 0;
    if (gw_row_file_open(fuzz_file(path, "in.labels", data, size), &gw_label_rows, &file) != GW_OK) return 0;
    const int64_t width = gw_row_file_width(file);
    for (int64_t row = 0; width > 0 && row < gw_row_file_rows(file); row++)
        for (int64_t target = 0; target < width; target++) set += gw_label_bit(gw_row_file_row(file, row), target);
    if (set > (int64_t)size * 8) abort();
    gw_row_file_close(file);
    return 0;
}
