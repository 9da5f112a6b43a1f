// SPDX-License-Identifier: MIT
// State of reading an annotation. Private to lib/seq.
#ifndef GW_SEQ_GENES_ANNOTATION_PRIVATE_H
#define GW_SEQ_GENES_ANNOTATION_PRIVATE_H

#include "base/names.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/genes/annotation.h"
#include "seq/genes/gff.h"

// A row for a part of a transcript.
typedef struct {
    gw_gene_part_kind kind;
    gw_gene_part part;
    char strand;
} gw_noted_part;

// Data of a transcript during reading, beside gw_annotated.
typedef struct {
    int64_t gene;     // index in `genes`; -1: no gene
    bool has_biotype; // GTF: the file gives a biotype, known or not
    char contig[256];
} gw_noted_transcript;

typedef struct {
    const char *path;
    gw_genome *genome;
    gw_annotation *out;
    gw_gff_kind kind;
    gw_line_reader *lines;
    gw_names transcripts, genes;
    gw_noted_transcript *noted; // [transcripts.count]
    int64_t noted_capacity;
    char **gene_names; // [genes.count]; NULL: no name
    int64_t gene_capacity, gene_known;
    gw_noted_part *parts;
    int64_t part_count, part_capacity;
    gw_string value;
    int64_t unknown_biotypes, without_strand;
    char biotype[64]; // the first unknown one
} gw_annotation_reader;

// annotation_rows.c: processes one row.
gw_status gw_annotation_note_row(gw_annotation_reader *reader, const gw_gff_row *row) GW_MUST_CHECK;

#endif
