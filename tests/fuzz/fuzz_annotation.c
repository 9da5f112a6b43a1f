// SPDX-License-Identifier: MIT
// Bytes as an annotation of a small genome: whatever it says, changes all along the genome get consequences whose
// entries an INFO column can hold.
#include "seq/genes/consequence.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { LENGTH = 101 };
static const char bases[] =
    "ACGTTGCATCGATCGGATCAGGCCAATGGCTTGGAAAGTAAGTACTTTTTTTTTTTTTTTTTTTCAGCGTGATTAACCGGTTCAGGATCTAGCCATGCATT";
_Static_assert(sizeof bases == LENGTH + 1, "as many");

static gw_genome *genome_once(void) {
    static gw_genome *genome;
    char path[64], text[LENGTH + 16];
    const int length = snprintf(text, sizeof text, ">chr1\n%s\n", bases);
    if (!genome && gw_genome_open(fuzz_file(path, "g.fa", text, (size_t)length), &genome) != GW_OK) abort();
    return genome;
}

static void tell(gw_consequences *consequences, int64_t position, int64_t length, const char *alt) {
    char ref[LENGTH + 1];
    gw_string out = {0};
    bool any;
    if (position + length > LENGTH) return;
    snprintf(ref, sizeof ref, "%.*s", (int)length, bases + position);
    const gw_consequence_site site = {0, position, ref, &alt, 1};
    if (gw_consequences_of(consequences, &site, &out, &any) != GW_OK) abort();
    if (any && strpbrk(out.data, " \t\n;=")) abort();
    gw_string_free(&out);
}

static void tell_all(gw_consequences *consequences) {
    static const char *const alts[] = {"A", "TG", "<INS>", "ATTTCAGCGTGATTAACC"};
    for (int64_t position = 0; position < LENGTH; position++)
        for (size_t i = 0; i < sizeof alts / sizeof *alts; i++) {
            tell(consequences, position, 1, alts[i]);
            tell(consequences, position, 5, alts[i]);
            tell(consequences, position, 40, alts[i]);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_annotation annotation;
    gw_consequences *consequences = NULL;
    gw_genome *genome = genome_once();
    if (gw_annotation_read(fuzz_file(path, "in.gff", data, size), genome, &annotation) == GW_OK &&
        gw_consequences_new(&annotation, genome, &consequences) == GW_OK)
        tell_all(consequences);
    gw_consequences_free(consequences);
    gw_annotation_free(&annotation);
    return 0;
}
