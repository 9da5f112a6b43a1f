// SPDX-License-Identifier: MIT
// State of reading a file of genes, in any format. Private to lib/seq.
#ifndef GW_SEQ_GENES_GENE_MODELS_PRIVATE_H
#define GW_SEQ_GENES_GENE_MODELS_PRIVATE_H

#include "seq/genes/gene_models.h"
#include "seq/genes/gff.h"

typedef struct {
    const char *path;
    gw_genome *genome;
    gw_gene_models *models;
    int64_t rows, no_contig, off_contig;
    char *unknown; // the first unknown contig
} gw_gene_file;

// Takes ownership of a gene, or counts and frees a gene that does not lie on the genome.
gw_status gw_gene_file_take(gw_gene_file *file, const char *contig, gw_gene_model *gene) GW_MUST_CHECK;

void gw_gene_model_free(gw_gene_model *gene);

// gene_models_gff.c: the canonical transcript of each gene of GFF3 or GTF.
gw_status gw_gene_file_read_annotation(gw_gene_file *file, gw_gff_kind kind) GW_MUST_CHECK;

#endif
