// SPDX-License-Identifier: MIT
// What `godwit embed` reads: regions of a genome, FASTA files, texts laid out like FASTA, or tables of texts.
#ifndef GW_RUN_EMBED_H
#define GW_RUN_EMBED_H

#include "file/table.h"
#include "network/embedder.h"
#include "seq/genome/regions.h"

// Each region as wide as it is, reverse complemented on the - strand, named by its column 4 or contig:begin-end
// (1-based).
gw_status gw_embed_regions(gw_embedder *embedder, gw_genome *genome, const gw_regions *regions) GW_MUST_CHECK;
// Every sequence of a FASTA file; path "-": standard input.
gw_status gw_embed_fasta(gw_embedder *embedder, const char *path) GW_MUST_CHECK;
// The same of texts: lines after ">name", any characters, joined by newlines.
gw_status gw_embed_text(gw_embedder *embedder, const char *path) GW_MUST_CHECK;
// The texts, or sequences of letters alone (bases), of a column (gw_table_column()) of a table, each named by its
// number: *row counts those of all tables, from 1 on. An empty one is an error.
typedef struct {
    gw_table_options table;
    const char *column;
    bool bases;
} gw_embed_table_options;
gw_status gw_embed_table(gw_embedder *embedder, const char *path, const gw_embed_table_options *options,
                         int64_t *row) GW_MUST_CHECK;

#endif
