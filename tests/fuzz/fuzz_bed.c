// SPDX-License-Identifier: MIT
// Bytes as a BED file: rows are read or refused, and files that are read go through chains, blocks and all.
#include "file/lines.h"
#include "seq/genome/regions.h"
#include "seq/lift/lift_bed.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static const char chain_text[] = "chain 9 c1 1000 + 0 600 d1 2000 - 100 710 1\n100 0 10\n200 5 5\n295\n\n"
                                 "chain 8 c1 1000 + 500 1000 d2 500 + 0 500 2\n500\n\n";

static gw_status check_row(void *context, const gw_line_reader *reader, char *line) {
    (void)context, (void)reader;
    gw_bed_row row;
    if (gw_bed_is_comment(line)) return GW_OK;
    GW_TRY(gw_bed_parse(&row, line));
    if (row.begin < 0 || row.end < row.begin || !strchr("+-.", row.strand) || row.count < 3) abort();
    return GW_OK;
}

static void lift(const gw_chains *chains, const char *input, bool multiple) {
    char output[64], rest[64];
    gw_lift_counts counts = {0};
    const gw_lift_bed_options options = {.input = input,
                                         .output = fuzz_path(output, "out.bed"),
                                         .unlifted = fuzz_path(rest, "rest.bed"),
                                         .min_match = 0.5,
                                         .multiple = multiple};
    const gw_status status = gw_lift_bed(chains, &options, &counts);
    // What was lifted is a BED file again.
    if (status == GW_OK && gw_lines_each(output, check_row, NULL) != GW_OK) abort();
    free(counts.unknown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gw_chains *chains;
    char path[64];
    if (!chains && gw_chains_read(fuzz_file(path, "c.chain", chain_text, sizeof chain_text - 1), &chains) != GW_OK)
        abort();
    fuzz_file(path, "in.bed", data, size);
    const gw_status status = gw_lines_each(path, check_row, NULL);
    (void)status; // both answers are right
    lift(chains, path, false);
    lift(chains, path, true);
    return 0;
}
