// SPDX-License-Identifier: MIT
// Bytes as orders for an annotation of up to 16,384 rows: four of them say what rows, how many, where, and whose. All
// readers of annotation read it; work that grows with the square of the number of genes ends at the limit of time.
#include "seq/genes/consequence.h"
#include "seq/genes/gene_models.h"
#include "seq/genes/genes.h"
#include "seq/genes/gff.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { LENGTH = 4096, MOST_ROWS = 16384 };

static gw_genome *genome_once(void) {
    static gw_genome *genome;
    static char fasta[LENGTH + 8] = ">c\n";
    char path[64];
    for (int i = 0; i < LENGTH; i++) fasta[3 + i] = "ACGTTGCATCGA"[i % 12];
    fasta[3 + LENGTH] = '\n';
    if (!genome && gw_genome_open(fuzz_file(path, "g.fa", fasta, LENGTH + 4), &genome) != GW_OK) abort();
    return genome;
}

static void write_rows(const uint8_t *data, size_t size, const char *path) {
    static const char *const types[] = {"gene", "mRNA", "exon", "CDS", "ncRNA_gene", "five_prime_UTR", "intron", ""};
    FILE *out = fopen(path, "w");
    int rows = 0;
    for (size_t at = 0; out && at + 4 <= size; at += 4) {
        const int count = 1 << data[at + 1] % 17, begin = 1 + data[at + 2] * 13, length = 1 + data[at + 3] % 64 * 12;
        const char *type = types[data[at] & 7];
        for (int i = 0; i < count && rows < MOST_ROWS; i++, rows++) {
            const int own = data[at] & 8 ? rows : i, parent = data[at] & 16 ? data[at + 3] : i;
            char other[16];
            snprintf(other, sizeof other, "type%d", i);
            fprintf(out, "c\tx\t%s\t%d\t%d\t.\t%c\t0\tID=%c%d;Parent=%s%d;Name=n%d\n", *type ? type : other, begin,
                    begin + length, data[at] & 32 ? '-' : '+', *type ? *type : 't', own, data[at] & 64 ? "m" : "g",
                    parent, data[at] & 128 ? 0 : own);
        }
    }
    if (!out || fclose(out) != 0) abort();
}

static void look_up(const char *path) {
    static const char alt[] = "T", *alts[] = {alt};
    gw_genes genes;
    gw_annotation annotation;
    gw_consequences *consequences = NULL;
    gw_string out = {0};
    bool any;
    if (gw_genes_read(path, genome_once(), &genes) == GW_OK) {
        for (int64_t at = 0; at < LENGTH; at += LENGTH / 2) gw_genes_at(&genes, 0, at, at + 1, &out);
        gw_genes_free(&genes);
    }
    gw_string_clear(&out);
    if (gw_annotation_read(path, genome_once(), &annotation) == GW_OK &&
        gw_consequences_new(&annotation, genome_once(), &consequences) == GW_OK &&
        gw_consequences_of(consequences, &(gw_consequence_site){0, 120, "A", alts, 1}, &out, &any) != GW_OK)
        abort();
    gw_consequences_free(consequences);
    gw_annotation_free(&annotation);
    gw_string_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_features features;
    gw_gene_models models = {0};
    genome_once();
    write_rows(data, size, fuzz_path(path, "in.gff3"));
    if (gw_features_read(path, &(gw_gff_options){.groups = gw_gff_transcripts}, &features) == GW_OK)
        gw_features_free(&features);
    if (gw_transcripts_read(path, genome_once(), &models) == GW_OK)
        for (int64_t g = -1, deep = 0; deep < 100 && (g = gw_gene_models_next(&models, 0, 100, g)) >= 0;) deep++;
    gw_gene_models_free(&models);
    look_up(path);
    return 0;
}
