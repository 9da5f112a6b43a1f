// SPDX-License-Identifier: MIT
// Bytes as a variant of the command line: what is read lies on the genome, REF is what the genome has, and ALT is
// something else.
#include "seq/vcf/variant_text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char fasta[] = ">chr1\nCCACGTTTTGACACACATNGGGATCCTTAA\n>MT\nACGTACGTAACCGGTTTTTT\n";

static gw_genome *open_genome(void) {
    char name[] = "/tmp/godwit-fuzz-XXXXXX";
    gw_genome *genome;
    const int file = mkstemp(name);
    if (file < 0 || write(file, fasta, strlen(fasta)) != (ssize_t)strlen(fasta)) abort();
    close(file);
    if (gw_genome_open(name, &genome) != GW_OK) abort();
    unlink(name); // it stays open
    return genome;
}

static void check(gw_genome *genome, const gw_written_alleles *v) {
    if (v->contig < 0 || v->contig >= gw_genome_contigs(genome) || v->position < 0) abort();
    if (!v->ref[0] || !v->alt[0] || strcmp(v->ref, v->alt) == 0) abort();
    if (v->position + (int64_t)strlen(v->ref) > gw_genome_length(genome, v->contig)) abort();
    if (gw_written_ref_check(genome, v->contig, v->position, v->ref) != GW_OK) abort();
    if (v->ref[strspn(v->ref, "ACGTN")] || v->alt[strspn(v->alt, "ACGTN")]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gw_genome *genome;
    gw_written_alleles v;
    char text[256];
    if (size >= sizeof text) return 0;
    if (!genome) genome = open_genome();
    memcpy(text, data, size);
    text[size] = 0;
    if (gw_variant_text_read(text, genome, &v) == GW_OK) check(genome, &v);
    gw_written_alleles_free(&v);
    return 0;
}
