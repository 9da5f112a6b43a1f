// SPDX-License-Identifier: MIT
// A file of genes that is being read, whatever its format. Private to lib/seq.
#ifndef GW_SEQ_GENES_GENE_MODELS_PRIVATE_H
#define GW_SEQ_GENES_GENE_MODELS_PRIVATE_H

#include "seq/genes/gene_models.h"
#include "seq/genes/gff.h"

typedef struct {
    const char *path;
    gw_genome *genome;
    gw_gene_models *models;
    int64_t rows, no_contig, off_contig;
    char *unknown; // the first contig that the genome lacks
} gw_gene_file;

// Takes over a gene with its memory, or counts one that does not lie on the genome and frees it.
gw_status gw_gene_file_take(gw_gene_file *file, const char *contig, gw_gene_model *gene) GW_MUST_CHECK;

void gw_gene_model_free(gw_gene_model *gene);

// gene_models_gff.c: the canonical transcript of each gene of GFF3 or GTF.
gw_status gw_gene_file_read_annotation(gw_gene_file *file, gw_gff_kind kind) GW_MUST_CHECK;

#endif
