// SPDX-License-Identifier: MIT
// Inputs of `godwit embed`: regions of a genome, FASTA files, texts in FASTA layout, or tables of texts.
#ifndef GW_RUN_EMBED_H
#define GW_RUN_EMBED_H

#include "file/table.h"
#include "network/embedder.h"
#include "seq/genome/regions.h"

// Adds each region with its own length, reverse complemented on the - strand. Its name is column 4, or contig:begin-end
// (1-based).
gw_status gw_embed_regions(gw_embedder *embedder, gw_genome *genome, const gw_regions *regions) GW_MUST_CHECK;
// Adds every sequence of a FASTA file; path "-": standard input.
gw_status gw_embed_fasta(gw_embedder *embedder, const char *path) GW_MUST_CHECK;
// The same for texts: the lines after ">name", with any characters, joined by newlines.
gw_status gw_embed_text(gw_embedder *embedder, const char *path) GW_MUST_CHECK;
// Adds the texts of a table's column (gw_table_column()), or its sequences (bases). The name of each is its number:
// *row counts the rows of all tables, from 1. An empty text is an error.
typedef struct {
    gw_table_options table;
    const char *column;
    bool bases;
} gw_embed_table_options;
gw_status gw_embed_table(gw_embedder *embedder, const char *path, const gw_embed_table_options *options,
                         int64_t *row) GW_MUST_CHECK;

#endif
