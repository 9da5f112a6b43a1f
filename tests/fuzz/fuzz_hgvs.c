// SPDX-License-Identifier: MIT
// Bytes as variants on a contig of 200,000 bases, half of which are one repeat along which changes shift: work that
// grows with the square of a change's length ends at the limit of time. What is read lies on the genome.
#include "seq/vcf/variant_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { BASES = 200000, REPEAT = BASES / 2 };

static gw_genome *genome;
static gw_gene_models transcripts;

// Two exons in the bases that do not repeat, and one over the whole repeat.
static const char table[] = "c\tx\texon\t101\t400\t.\t+\t.\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "c\tx\texon\t601\t900\t.\t+\t.\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "c\tx\tCDS\t131\t730\t.\t+\t0\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "c\tx\texon\t100001\t200000\t.\t-\t.\tgene_id \"H\"; transcript_id \"U\";\n"
                            "c\tx\tCDS\t100001\t199999\t.\t-\t0\tgene_id \"H\"; transcript_id \"U\";\n";

static void open_genome(void) {
    char path[64], other[64];
    static char fasta[BASES + 8] = ">c\n";
    uint32_t state = 1;
    for (int i = 0; i < BASES; i++) {
        state = state * 1664525U + 1013904223U;
        fasta[3 + i] = i < REPEAT ? "ACGT"[state >> 30] : 'A';
    }
    fasta[3 + BASES] = '\n';
    if (gw_genome_open(fuzz_file(path, "g.fa", fasta, BASES + 4), &genome) != GW_OK) abort();
    if (gw_transcripts_read(fuzz_file(other, "g.gtf", table, sizeof table - 1), genome, &transcripts) != GW_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_written_list list = {0};
    char *text = malloc(size + 1);
    if (!text) abort();
    if (!genome) open_genome();
    memcpy(text, data, size);
    text[size] = 0;
    const gw_status status = gw_variant_text_read_all(text, genome, &transcripts, &list);
    for (int64_t i = 0; status == GW_OK && i < list.count; i++) {
        const gw_written_alleles *v = &list.items[i];
        if (v->contig != 0 || v->position < 0 || !v->ref[0] || !v->alt[0] || strcmp(v->ref, v->alt) == 0) abort();
        if (v->position + (int64_t)strlen(v->ref) > BASES) abort();
    }
    gw_written_list_free(&list);
    free(text);
    return 0;
}
