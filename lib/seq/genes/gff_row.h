// SPDX-License-Identifier: MIT
// One row of an annotation file, and the attributes of its ninth column. Private to lib/seq.
#ifndef GW_SEQ_GENES_GFF_ROW_H
#define GW_SEQ_GENES_GFF_ROW_H

#include "base/string.h"
#include "file/lines.h"
#include "seq/genes/gff.h"

enum { GW_GFF_COLUMNS = 17 };

typedef struct {
    gw_gff_kind kind;
    const char *type;
    char contig[256];
    int64_t begin, end; // 0-based half-open
    char strand;
    char *columns[GW_GFF_COLUMNS]; // the text of the line
    int count;
    bool placed; // false: SGD's table has features without coordinates
} gw_gff_row;

// GFF3, GTF or SGD by the look of a row; GW_GFF_UNKNOWN where it is none of them. The line stays as it is.
gw_gff_kind gw_gff_kind_of(const char *line);
// Splits the line in place.
gw_status gw_gff_row_parse(gw_gff_row *row, gw_gff_kind kind, char *line) GW_MUST_CHECK;
// The next row of a file, up to its sequences; *got is false at the end. What cannot be parsed is an error that names
// the line. A *kind that is unknown is found by the first row; where it stays so the error ends with `needs`.
gw_status gw_gff_next_row(gw_line_reader *lines, gw_gff_kind *kind, const char *needs, gw_gff_row *row,
                          bool *got) GW_MUST_CHECK;
bool gw_gff_is_dubious(const gw_gff_row *row); // an ORF of SGD's table that hardly is a gene
// Puts the value of attribute `key` (of `length` letters) into out, decoded; false where the row has none.
bool gw_gff_attribute(const gw_gff_row *row, const char *key, int64_t length, gw_string *out);

#endif
