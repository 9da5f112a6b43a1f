// SPDX-License-Identifier: MIT
// Reads a row of BED: its columns, split at tabs or blanks, and its coordinates.
#include "seq/genome/bed.h"

#include "base/log.h"
#include "base/parse.h"
#include "file/lines.h"

#include <stdio.h>
#include <string.h>

static bool starts_with_word(const char *line, const char *word) {
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && strchr(" \t", line[length]);
}

bool gw_bed_is_comment(const char *line) {
    return !line[strspn(line, " \t")] || line[0] == '#' || starts_with_word(line, "track") ||
           starts_with_word(line, "browser");
}

// Tables and lists of variants often begin with a line of names.
static gw_status no_number(const char *column, const char *text) {
    char reason[256];
    const bool word = text[0] && text[strcspn(text, "0123456789")] == 0;
    snprintf(reason, sizeof reason, "%s", gw_message());
    return gw_fail(GW_ERR_FORMAT, "%s: %s%s", column, reason,
                   word ? " (a line of column names needs a # before it)" : "");
}

gw_status gw_bed_parse(gw_bed_row *row, char *line) {
    *row = (gw_bed_row){.strand = '.'};
    row->count = strchr(line, '\t') ? gw_split(line, '\t', row->columns, GW_BED_COLUMNS)
                                    : gw_split_blanks(line, row->columns, GW_BED_COLUMNS);
    char **columns = row->columns;
    if (row->count < 3)
        return gw_fail(GW_ERR_FORMAT, "expected at least three columns (contig, start, end), found %d", row->count);
    row->contig = columns[0];
    if (gw_parse_int(columns[1], 0, INT64_MAX / 2, &row->begin) != GW_OK)
        return no_number("column 2, the start", columns[1]);
    if (gw_parse_int(columns[2], 0, INT64_MAX / 2, &row->end) != GW_OK)
        return no_number("column 3, the end", columns[2]);
    if (row->begin > row->end)
        return gw_fail(GW_ERR_RANGE, "the region starts at %lld, behind its end %lld", (long long)row->begin,
                       (long long)row->end);
    if (row->count >= 4) row->name = columns[3];
    if (row->count < 6) return GW_OK;
    if (strlen(columns[5]) != 1 || !strchr("+-.", columns[5][0]))
        return gw_fail(GW_ERR_FORMAT, "column 6, the strand: expected +, - or ., found '%s'", columns[5]);
    row->strand = columns[5][0];
    return GW_OK;
}

void gw_bed_warn_of_empty(const char *path, int64_t empty, int64_t rows) {
    if (2 * empty > rows)
        gw_warn("%s: %lld of %lld regions have 0 bp: BED counts from 0, so a single base is [n - 1, n)", path,
                (long long)empty, (long long)rows);
}
