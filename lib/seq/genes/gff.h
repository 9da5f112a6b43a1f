// SPDX-License-Identifier: MIT
// Features of an annotation: GFF3, GTF, or SGD's table of features. The first row of a file gives its format.
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
    char *contig;       // as in the file; SGD's chromosome numbers become chrI .. chrXVI and chrMito
    int64_t begin, end; // bp
    char strand;        // '+', '-' or '.'
    char *name;         // NULL: none
    char *parent;       // of GFF3 rows, or NULL
    char *transcript;   // of GTF rows, or NULL
    int64_t line;
} gw_feature;

typedef struct {
    gw_feature *items; // in file order
    int64_t count, capacity;
    gw_gff_kind kind;
    const char *types; // used types: one of the requested groups
    int64_t orphans;   // features with a Parent that the file lacks
    int64_t unnamed;
    int64_t coding;   // with options->coding: features with their start at the first base of a CDS row
    bool genes_alone; // genes or ORFs were used, and the file has no transcripts
} gw_features;

typedef struct {
    // Groups of comma-separated types, ended by NULL: the first group that occurs in the file is used.
    const char *const *groups;
    // Comma-separated attributes for the name: the first that the row has, or else an ancestor (GFF3). SGD's table has
    // `feature` (systematic name), `gene` and `SGDID`. NULL: depends on the kind, see gw_gff_transcripts.
    const char *id;
    bool coding; // count features with the same start as a CDS
} gw_gff_options;

// Groups: rows with a transcription start site; and genes. The first does not include genes: in annotations without
// transcripts, as of bacteria, a gene starts at its start codon.
extern const char *const gw_gff_transcripts[], *const gw_gff_genes[];
enum { GW_GFF_MOST_GROUPS = 4 };

// Reads plain, gzip or BGZF; "-": standard input. Exons of a GTF are joined to their transcripts. A malformed row is an
// error with its line. A file without any requested row is an error that lists its types.
gw_status gw_features_read(const char *path, const gw_gff_options *options, gw_features *features) GW_MUST_CHECK;
void gw_features_free(gw_features *features);
// "GFF3", "GTF", "SGD's table".
const char *gw_gff_kind_name(gw_gff_kind kind);

// One row of an annotation file, and attributes in its ninth column. Private to lib/seq.
enum { GW_GFF_COLUMNS = 17 };
typedef struct {
    gw_gff_kind kind;
    const char *type;
    char contig[256];
    int64_t begin, end; // 0-based half-open
    char strand;
    char *columns[GW_GFF_COLUMNS]; // texts within the line
    int count;
    bool placed; // false: no coordinates, as some features of SGD's table
} gw_gff_row;

// Recognises GFF3, GTF or SGD's table by a row; GW_GFF_UNKNOWN otherwise. The line stays unchanged.
gw_gff_kind gw_gff_kind_of(const char *line);
// The next row before the sequences of a file; *got is false at the end. An invalid row is an error that names the
// line. The first row sets *kind if it is unknown; otherwise the error ends with `needs`.
gw_status gw_gff_next_row(gw_line_reader *lines, gw_gff_kind *kind, const char *needs, gw_gff_row *row,
                          bool *got) GW_MUST_CHECK;
bool gw_gff_is_dubious(const gw_gff_row *row); // an ORF that SGD's table marks as dubious
// Puts the decoded value of attribute `key` (`length` letters) into out; false if the row has none.
bool gw_gff_attribute(const gw_gff_row *row, const char *key, int64_t length, gw_string *out);

#endif
