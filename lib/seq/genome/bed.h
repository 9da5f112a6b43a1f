// SPDX-License-Identifier: MIT
// Rows of BED files (BED3 to BED12, 0-based half-open), whichever command reads them.
//
// Columns are separated by tabs; a line without a tab is split at its blanks, as UCSC's tools do. Empty lines and those
// that start with #, `track` or `browser` hold no region.
#ifndef GW_SEQ_GENOME_BED_H
#define GW_SEQ_GENOME_BED_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BED_COLUMNS = 13 }; // those that mean something, and one for all that follows

typedef struct {
    const char *contig, *name; // as the file has them; name: column 4, or NULL
    int64_t begin, end;        // bp; begin <= end
    char strand;               // '+', '-' or '.', also where there is no column 6
    int count;                 // columns
    char *columns[GW_BED_COLUMNS];
} gw_bed_row;

bool gw_bed_is_comment(const char *line);
// Splits the line in place. A text that is no number, begin > end, a strand that is none and fewer than three columns
// are errors that name the column; the caller knows the line.
gw_status gw_bed_parse(gw_bed_row *row, char *line) GW_MUST_CHECK;
// A warning where more than half of the rows have 0 bp, as in a file that counts from 1.
void gw_bed_warn_of_empty(const char *path, int64_t empty, int64_t rows);

#endif
