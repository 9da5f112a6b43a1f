// SPDX-License-Identifier: MIT
// Random access to the lines of a table: a VCF, a BCF (with records converted to VCF text), or another table with
// columns of contig and position; compressed by BGZF and indexed by tabix or CSI.
//
// Rows are read in stretches. A stretch that begins shortly behind the previous one continues where that one ended. A
// sorted list of positions thus reads the file once; distant positions need one index lookup each.
#ifndef GW_SEQ_VCF_INDEXED_ROWS_H
#define GW_SEQ_VCF_INDEXED_ROWS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_indexed_rows gw_indexed_rows;

typedef struct {
    int contig;       // of the genome
    int64_t position; // 0-based; from the index, independent of how the file counts
    const char *line; // without its end
    int64_t length;
} gw_indexed_row;

// A stretch that begins at most this number of bases behind the read part continues there: the finest step of tabix.
enum { GW_INDEXED_ROWS_NEAR = 1 << 14 };

// Borrows the genome. Warns if the index is older than the file. A contig with different lengths in file and genome is
// an error (VCF and BCF).
gw_status gw_indexed_rows_open(const char *path, gw_genome *genome, gw_indexed_rows **out) GW_MUST_CHECK;
void gw_indexed_rows_close(gw_indexed_rows *rows); // NULL is fine
// The lines before the first row.
const char *gw_indexed_rows_header(const gw_indexed_rows *rows);
bool gw_indexed_rows_are_variants(const gw_indexed_rows *rows); // a VCF or BCF

// Begins a stretch: the rows that overlap [begin, end) of a contig, and possibly some rows before them.
gw_status gw_indexed_rows_seek(gw_indexed_rows *rows, int contig, int64_t begin, int64_t end) GW_MUST_CHECK;
// The next row of the stretch, valid until the next call; *got is false behind the last row. Damaged files are errors.
gw_status gw_indexed_rows_next(gw_indexed_rows *rows, gw_indexed_row *row, bool *got) GW_MUST_CHECK;
// gw_fail() with "<file>: <contig>:<position>: " before the message.
gw_status gw_indexed_rows_fail(const gw_indexed_rows *rows, const gw_indexed_row *row, gw_status code,
                               const char *format, ...) GW_PRINTF(4, 5);

#endif
