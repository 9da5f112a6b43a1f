// SPDX-License-Identifier: MIT
// Bytes as genes with exons, by each of their readers: genes begin on the genome, exons and coding sequence are in
// order, and each base finds the genes that hold it.
#include "seq/genes/gene_models.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { LENGTH = 60 };

static gw_genome *genome_once(void) {
    static const char fasta[] = ">chr1\nACGTTGCATCGATCGGATCAGGCCAATGGCTTGGAAAGTAAGTACTTTTTTTTTTTTTTT\n";
    static gw_genome *genome;
    char path[64];
    if (!genome && gw_genome_open(fuzz_file(path, "g.fa", fasta, sizeof fasta - 1), &genome) != GW_OK) abort();
    return genome;
}

static void check_gene(const gw_gene_model *gene) {
    if (!gene->name || gene->contig != 0 || !strchr("+-", gene->strand)) abort();
    if (gene->begin < 0 || gene->begin >= gene->end || gene->begin >= LENGTH) abort();
    for (int64_t i = 0; i < gene->boundary_count; i++)
        if (gene->boundaries[i] < 0) abort();
    for (int64_t i = 0; i < gene->coding_count; i++)
        if (gene->coding[2 * i] >= gene->coding[2 * i + 1] || (i > 0 && gene->coding[2 * i] < gene->coding[2 * i - 1]))
            abort();
}

static void look_up(const gw_gene_models *models) {
    for (int64_t position = 0; position < LENGTH; position++) {
        int64_t deep = 0;
        for (int64_t g = -1; (g = gw_gene_models_next(models, 0, position, g)) >= 0; deep++) {
            const gw_gene_model *gene = &models->items[g];
            if (position < gene->begin || position >= gene->end) abort();
            const int64_t away = gw_gene_model_boundary(gene, position);
            if ((away == INT64_MAX) != (gene->boundary_count == 0)) abort();
        }
        if (deep > models->deepest && !models->each) abort();
    }
}

static void read_by(gw_status (*read)(const char *, gw_genome *, gw_gene_models *), const char *path) {
    gw_gene_models models = {0};
    if (read(path, genome_once(), &models) == GW_OK) {
        for (int64_t g = 0; g < models.count; g++) check_gene(&models.items[g]);
        look_up(&models);
    }
    gw_gene_models_free(&models);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    fuzz_file(path, "in.genes", data, size);
    read_by(gw_gene_models_read, path);
    read_by(gw_coding_genes_read, path);
    read_by(gw_transcripts_read, path);
    return 0;
}
