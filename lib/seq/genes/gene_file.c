// SPDX-License-Identifier: MIT
// Puts genes on the genome.
#include "seq/genes/gene_models_private.h"

#include "base/memory.h"

#include <stdlib.h>

void gw_gene_model_free(gw_gene_model *gene) {
    free(gene->name);
    free(gene->transcript);
    free(gene->aliases);
    free(gene->protein);
    free(gene->boundaries);
    free(gene->coding);
    *gene = (gw_gene_model){0};
}

gw_status gw_gene_file_take(gw_gene_file *file, const char *contig, gw_gene_model *gene) {
    gw_gene_models *m = file->models;
    gene->contig = gw_genome_find(file->genome, contig, -1);
    const bool off = gene->contig >= 0 && gene->end > gw_genome_length(file->genome, gene->contig);
    gw_status status = GW_OK;
    if (gene->contig < 0 && !file->unknown && !(file->unknown = gw_strdup(contig))) status = GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_reserve(&m->items, &m->capacity, m->count + 1, sizeof *m->items);
    file->rows++;
    file->no_contig += gene->contig < 0;
    file->off_contig += off;
    if (status == GW_OK && gene->contig >= 0 && !off) m->items[m->count++] = *gene;
    else gw_gene_model_free(gene);
    *gene = (gw_gene_model){0};
    return status;
}
