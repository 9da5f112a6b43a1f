// SPDX-License-Identifier: MIT
// Features of an annotation: GFF3, GTF, or SGD's table of features. The first row of a file tells its format.
//
// Formats: GFF3 1.26 (Sequence Ontology), GTF 2.2, SGD_features.README. Coordinates become 0-based half-open.
#ifndef GW_SEQ_GENES_GFF_H
#define GW_SEQ_GENES_GFF_H

#include "base/status.h"
#include "base/string.h"
#include "file/lines.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_GFF_UNKNOWN, GW_GFF3, GW_GTF, GW_GFF_SGD } gw_gff_kind;

typedef struct {
    char *contig;       // as the file names it; SGD's chromosome numbers are chrI .. chrXVI and chrMito
    int64_t begin, end; // bp
    char strand;        // '+', '-' or '.'
    char *name;         // NULL: the row has none
    char *parent;       // of GFF3 rows, or NULL
    char *transcript;   // of GTF rows, or NULL
    int64_t line;
} gw_feature;

typedef struct {
    gw_feature *items; // in file order
    int64_t count, capacity;
    gw_gff_kind kind;
    const char *types; // that were taken: one of the groups asked for
    int64_t orphans;   // features whose Parent the file lacks
    int64_t unnamed;
    int64_t coding;   // with options->coding: features that start at the first base of a CDS row
    bool genes_alone; // genes or ORFs were taken, and the file has no transcript
} gw_features;

typedef struct {
    // Groups of comma-separated types, ended by NULL: the first group of which the file has any row is taken.
    const char *const *groups;
    // Comma-separated attributes: the first that the row has, or else one of its ancestors (GFF3), is its name. SGD's
    // table has `feature` (systematic name), `gene` and `SGDID`. NULL: by the kind, see gw_gff_transcripts.
    const char *id;
    bool coding; // count the features that start where a CDS starts
} gw_gff_options;

// The rows whose starts are transcription start sites, and those that are genes; to be used as groups. Genes are not
// among the former: where an annotation has no transcripts, as those of bacteria, a gene starts at its start codon.
extern const char *const gw_gff_transcripts[], *const gw_gff_genes[];
enum { GW_GFF_MOST_GROUPS = 4 };

// Plain, gzip or BGZF, "-" standard input. Exons of a GTF, where they are taken, are joined to their transcripts. A row
// that is malformed is an error with its line; a file without any row asked for is one that lists its types.
gw_status gw_features_read(const char *path, const gw_gff_options *options, gw_features *features) GW_MUST_CHECK;
void gw_features_free(gw_features *features);
// "GFF3", "GTF", "SGD's table".
const char *gw_gff_kind_name(gw_gff_kind kind);

// One row of an annotation file, and the attributes of its ninth column. Private to lib/seq.
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
// The next row of a file, up to its sequences; *got is false at the end. What cannot be parsed is an error that names
// the line. A *kind that is unknown is found by the first row; where it stays so the error ends with `needs`.
gw_status gw_gff_next_row(gw_line_reader *lines, gw_gff_kind *kind, const char *needs, gw_gff_row *row,
                          bool *got) GW_MUST_CHECK;
bool gw_gff_is_dubious(const gw_gff_row *row); // an ORF of SGD's table that hardly is a gene
// Puts the value of attribute `key` (of `length` letters) into out, decoded; false where the row has none.
bool gw_gff_attribute(const gw_gff_row *row, const char *key, int64_t length, gw_string *out);

#endif
