// SPDX-License-Identifier: MIT
// Genes on the genome: genes at a base, their names, and the ends of their exons.
#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "seq/genes/gene_models_private.h"

#include <stdlib.h>
#include <string.h>

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

void gw_gene_models_free(gw_gene_models *models) {
    for (int64_t i = 0; i < models->count + models->strands; i++) gw_gene_model_free(&models->items[i]);
    free(models->items);
    free(models->first);
    *models = (gw_gene_models){0};
}

gw_status gw_gene_models_add_strands(gw_gene_models *m, const gw_genome *genome) {
    const int contigs = gw_genome_contigs(genome);
    if (!m->first && !(m->first = gw_alloc(contigs + 1, sizeof *m->first))) return GW_ERR_MEMORY;
    GW_TRY(gw_reserve(&m->items, &m->capacity, m->count + 2 * contigs, sizeof *m->items));
    for (int contig = 0; contig < contigs; contig++)
        for (const char *strand = "+-"; *strand; strand++) {
            gw_gene_model *item = &m->items[m->count + m->strands];
            *item = (gw_gene_model){.contig = contig, .strand = *strand, .end = gw_genome_length(genome, contig)};
            if (!(item->name = gw_strndup(strand, 1))) return GW_ERR_MEMORY;
            m->strands++;
        }
    m->deepest = gw_max(m->deepest, 2);
    return GW_OK;
}

int64_t gw_gene_models_next(const gw_gene_models *models, int contig, int64_t position, int64_t index) {
    const int64_t plus = models->count + 2 * (int64_t)contig; // of the strands
    if (index >= models->count) return index == plus ? plus + 1 : -1;
    for (int64_t i = index < 0 ? models->first[contig] : index + 1; i < models->first[contig + 1]; i++)
        if (models->items[i].begin <= position && position < models->items[i].end) return i;
    return index < 0 && models->strands > 0 ? plus : -1;
}

const char *gw_gene_bare_name(const char *identifier) {
    static const char *const words[] = {"transcript:", "gene:", "CDS:", "rna-", "gene-", "cds-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (gw_has_prefix(identifier, words[i])) return identifier + strlen(words[i]);
    return identifier;
}

bool gw_gene_is_called(const gw_gene_model *gene, const char *name, size_t length) {
    if (strlen(gene->name) == length && memcmp(gene->name, name, length) == 0) return true;
    for (const char *at = gene->aliases; at && *at; at = strchr(at, '\t') + 1) {
        const char *bare = gw_gene_bare_name(at);
        if (strcspn(at, "\t") == length && memcmp(at, name, length) == 0) return true;
        if (strcspn(bare, "\t") == length && memcmp(bare, name, length) == 0) return true;
    }
    return false;
}

int64_t gw_gene_model_boundary(const gw_gene_model *gene, int64_t position) {
    int64_t best = INT64_MAX;
    for (int64_t i = 0; i < gene->boundary_count; i++) {
        const int64_t distance = gene->boundaries[i] - position, size = llabs(distance), least = llabs(best);
        if (size < least || (size == least && distance < best)) best = distance;
    }
    return best;
}
