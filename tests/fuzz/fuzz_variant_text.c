// SPDX-License-Identifier: MIT
// Bytes as a variant of the command line: what is read lies on the genome, REF is what the genome has, and ALT is
// something else.
#include "seq/vcf/variant_text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char fasta[] = ">chr1\nCCACGTTTTGACACACATNGGGATCCTTAA\n>MT\nACGTACGTAACCGGTTTTTT\n";

// A transcript of three exons on each strand, both with a coding sequence.
static const char table[] = "chr1\tx\texon\t2\t8\t.\t+\t.\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "chr1\tx\texon\t12\t16\t.\t+\t.\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "chr1\tx\texon\t20\t28\t.\t+\t.\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "chr1\tx\tCDS\t5\t25\t.\t+\t.\tgene_id \"G\"; transcript_id \"T.1\";\n"
                            "MT\tx\texon\t2\t8\t.\t-\t.\tgene_id \"H\"; transcript_id \"U\";\n"
                            "MT\tx\texon\t12\t18\t.\t-\t.\tgene_id \"H\"; transcript_id \"U\";\n"
                            "MT\tx\tCDS\t5\t14\t.\t-\t.\tgene_id \"H\"; transcript_id \"U\";\n";

static gw_genome *genome;
static gw_gene_models transcripts;

static void put(char *name, const char *text) {
    const int file = mkstemp(name);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) abort();
    close(file);
}

static void open_genome(void) {
    char name[] = "/tmp/godwit-fuzz-XXXXXX", genes[] = "/tmp/godwit-fuzz-XXXXXX";
    put(name, fasta);
    put(genes, table);
    if (gw_genome_open(name, &genome) != GW_OK) abort();
    if (gw_transcripts_read(genes, genome, &transcripts) != GW_OK) abort();
    unlink(name); // it stays open
    unlink(genes);
}

static void check(const gw_written_alleles *v) {
    if (v->contig < 0 || v->contig >= gw_genome_contigs(genome) || v->position < 0) abort();
    if (!v->ref[0] || !v->alt[0] || strcmp(v->ref, v->alt) == 0) abort();
    if (v->position + (int64_t)strlen(v->ref) > gw_genome_length(genome, v->contig)) abort();
    if (gw_written_ref_check(genome, v->contig, v->position, v->ref) != GW_OK) abort();
    if (v->ref[strspn(v->ref, "ACGTN")] || v->alt[strspn(v->alt, "ACGTN")]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_written_alleles v;
    char text[256];
    if (size >= sizeof text) return 0;
    if (!genome) open_genome();
    memcpy(text, data, size);
    text[size] = 0;
    if (gw_variant_text_read(text, genome, &transcripts, &v) == GW_OK) check(&v);
    gw_written_alleles_free(&v);
    return 0;
}
