// SPDX-License-Identifier: MIT
// Variants as people write them: what each form is in a VCF, and what is said of those that are none.
#include "base/string.h"
#include "seq/genome/contig_names.h"
#include "seq/vcf/variant_text.h"
#include "tests/unit/scratch.h"
#include "tests/unit/written_variants.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static gw_genome *genome;

//                                       1         2         3
//                              123456789012345678901234567890
static const char REFERENCE[] = "CCACGTTTTGACACACATNGGGATCCTTAA";

static void enter(void) {
    char text[128];
    scratch_enter();
    snprintf(text, sizeof text, ">chr1\n%s\n>HLA-A*01:01\nACGTACGT\n", REFERENCE);
    scratch_text("g.fa", text);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
}

static void leave(void) {
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(variant_text, .init = enter, .fini = leave);

static void expect(const char *text, int64_t position, const char *ref, const char *alt) {
    expect_written((variant_place){genome, NULL}, text, position, ref, alt);
}

static void refused(const char *text, const char *message) {
    expect_refused((variant_place){genome, NULL}, text, message);
}

Test(variant_text, fields) {
    expect("chr1:4:C:T", 4, "C", "T");
    expect("1-4-c-t", 4, "C", "T");
    expect("chr1:9:TGACA:T", 9, "TGACA", "T");
    expect("HLA-A*01:01:3:G:A", 3, "G", "A");
    expect("HLA-A*01:01-3-G-A", 3, "G", "A");
    expect("chr1:19:N:A", 19, "N", "A");
}

Test(variant_text, hgvs_keeps_its_place) {
    expect("chr1:g.4C>T", 4, "C", "T");
    expect("chr1:m.4C>T", 4, "C", "T");
    expect("HLA-A*01:01:g.3G>A", 3, "G", "A");
    expect("chr1:g.3_5delinsTT", 3, "ACG", "TT");
    expect("chr1:g.3_5delACGinsTT", 3, "ACG", "TT");
    expect("chr1:g.4delinsTT", 4, "C", "TT");
    expect("chr1:g.3_5inv", 3, "ACG", "CGT");
    expect("chr1:g.10del", 9, "TG", "T");
    expect("chr1:g.4_5insG", 4, "C", "CG"); // CG + G: behind the G it is the same, and C is the leftmost base before it
}

Test(variant_text, hgvs_moves_to_the_left) {
    expect("chr1:g.9del", 5, "GT", "G");
    expect("chr1:g.9delT", 5, "GT", "G");
    expect("chr1:g.8_9delTT", 5, "GTT", "G");
    expect("chr1:g.9dup", 5, "G", "GT");
    expect("chr1:g.9_10insTT", 5, "G", "GTT");
    expect("chr1:g.16_17del", 10, "GAC", "G");
    expect("chr1:g.15_16delAC", 10, "GAC", "G");
    expect("chr1:g.15_16dup", 10, "G", "GAC"); // CA is AC, moved by one base
    expect("chr1:g.17_18insCACAC", 17, "A", "ACACAC");
    expect("chr1:g.17_18insCACA", 10, "G", "GACAC");
    expect("chr1:g.22dup", 19, "N", "NG");
}

Test(variant_text, hgvs_at_the_ends) {
    expect("chr1:g.1_2del", 1, "CCA", "A");
    expect("chr1:g.2del", 1, "CC", "C");
    expect("chr1:g.2dup", 1, "C", "CC");
    expect("chr1:g.30del", 28, "TA", "T");
    expect("chr1:g.29_30del", 28, "TAA", "T");
}

Test(variant_text, refusals) {
    refused("chr1:4:G:T", "the genome has 'C' at chr1:4, not 'G'");
    refused("chr1:g.4G>T", "the genome has 'C' at chr1:4, not 'G'");
    refused("chr1:g.3_4delAG", "the genome has 'AC' at chr1:3, not 'AG'");
    refused("chr1:31:A:T", "past the end of 'chr1' (30 bp)");
    refused("chr1:g.31del", "past the end of 'chr1' (30 bp)");
    refused("chr2:4:C:T", "no contig 'chr2'");
    refused("chr1:0:C:T", "position");
    refused("chr1:x:C:T", "position");
    refused("chr1:4:C:", "ALT is ''");
    refused("chr1:4:C:<DEL>", "ALT is '<DEL>'");
    refused("chr1:4:C:c", "the same");
    refused("chr1:g.4delinsC", "the same");
    refused("chr1:g.1_30del", "nothing would be left");
    refused("chr1:4", "expected chr17:43045711:G:A");
    refused("chr1:c.4C>T", "need the annotation that has it");
    refused("NM_000059.4:n.68-7T>A", "need the annotation that has it");
    refused("NP_000050.3:p.Val600Glu", "positions of a transcript (p.) need the annotation that has it");
    refused("chr1:q.4C>T", "not a kind of HGVS");
    refused("chr1:g.(4_5)_7del", "uncertain");
    refused("chr1:g.4", "expected X>Y, del, ins");
    refused("chr1:g.4=", "expected X>Y, del, ins");
    refused("chr1:g.C>T", "expected a position");
    refused("chr1:g.4+1C>T", "no offsets");
    refused("chr1:g.5_4del", "ends before it begins");
    refused("chr1:g.4_6insA", "between two neighbours");
    refused("chr1:g.4_5ins10", "inserted bases must be written");
    refused("chr1:g.4_5ins", "inserted bases must be written");
    refused("chr1:g.3_4AC>GT", "a substitution changes one base");
    refused("chr1:g.3_5delAC", "2 bases are given, but the positions span 3");
    refused("chr1:g.4C>TT", "a substitution changes one base");
    refused("chr1:g.4C>T;5G>A", "at the end");
    refused("chr1:g.4dupinsA", "at the end");
    refused("chr1:g.9999999999999del", "expected a position");
    refused("chr1:g.0del", "begin at 1");
}

Test(variant_text, names) {
    cr_expect(gw_variant_text_is_name("rs80357410"));
    cr_expect(gw_variant_text_is_name("esv-1-2"));
    cr_expect_not(gw_variant_text_is_name("chr1-4-C-T"));
    cr_expect_not(gw_variant_text_is_name("chr1:4:C:T"));
    cr_expect_not(gw_variant_text_is_name("A2717506C"));
    cr_expect_not(gw_variant_text_is_name("g.100A>G"));
    cr_expect(gw_variant_text_is_name("COSV52662035"));
}

static void expect_accession(const char *name, const char *chromosome, const char *assembly, int64_t length) {
    gw_human_chromosome found;
    cr_assert(gw_human_accession(name, &found), "%s", name);
    cr_expect_str_eq(found.chromosome, chromosome, "%s: %s", name, found.chromosome);
    cr_expect_str_eq(found.assembly, assembly, "%s: %s", name, found.assembly);
    cr_expect_eq(found.length, length, "%s: %lld", name, (long long)found.length);
}

Test(variant_text, accessions) {
    static const char *const none[] = {"NC_000001.9", "NC_000001.12",  "NC_1.11",
                                       "NC_000025.1", "NC_000017.11x", "chr1"};
    gw_human_chromosome found;
    expect_accession("NC_000001.11", "1", "GRCh38", 248956422);
    expect_accession("NC_000001.10", "1", "GRCh37", 249250621);
    expect_accession("NC_000017.11", "17", "GRCh38", 83257441);
    expect_accession("NC_000023.10", "X", "GRCh37", 155270560);
    expect_accession("NC_000024.10", "Y", "GRCh38", 57227415);
    expect_accession("NC_012920.1", "MT", "the human reference", 16569);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_not(gw_human_accession(none[i], &found), "%s", none[i]);
    refused("NC_000001.11:g.4C>T", "NC_000001.11 is chromosome 1 of GRCh38, 248956422 bp, and 'chr1' in g.fa has 30");
    refused("NC_000002.12:g.4C>T", "no contig '2' in g.fa");
    refused("NC_000099.12:g.4C>T", "no contig 'NC_000099.12' in g.fa");
}

// What HGVS says of a genome of few letters, once base by base and once by its REF and ALT, and that these cannot stand
// further to the left.
static void apply(const char *text, int64_t at, int64_t replaced, const char *by, char *out) {
    sprintf(out, "%.*s%s%s", (int)at, text, by, text + at + replaced);
}

static void expect_same_change(const char *bases, const char *hgvs, const char *changed) {
    gw_written_alleles v;
    char out[256];
    cr_assert_eq(gw_variant_text_read(hgvs, genome, NULL, &v), GW_OK, "%s: %s", hgvs, gw_message());
    apply(bases, v.position, (int64_t)strlen(v.ref), v.alt, out);
    cr_expect_str_eq(out, changed, "%s of %s: %s>%s at %lld", hgvs, bases, v.ref, v.alt, (long long)v.position);
    const bool could_move = v.position > 0 && v.ref[0] == v.alt[0] && (strlen(v.ref) == 1) != (strlen(v.alt) == 1) &&
                            v.ref[strlen(v.ref) - 1] == v.alt[strlen(v.alt) - 1];
    cr_expect_not(could_move, "%s of %s: %s>%s is not leftmost", hgvs, bases, v.ref, v.alt);
    gw_written_alleles_free(&v);
}

static void try_all_changes(const char *bases, int64_t first, int64_t last) {
    char hgvs[128], out[256], twice[64];
    apply(bases, first - 1, last - first + 1, "", out);
    snprintf(hgvs, sizeof hgvs, "c:g.%lld_%llddel", (long long)first, (long long)last);
    expect_same_change(bases, hgvs, out);
    apply(bases, first, 0, "ACA", out);
    snprintf(hgvs, sizeof hgvs, "c:g.%lld_%lldinsACA", (long long)first, (long long)first + 1);
    expect_same_change(bases, hgvs, out);
    snprintf(twice, sizeof twice, "%.*s", (int)(last - first + 1), bases + first - 1);
    apply(bases, last, 0, twice, out);
    snprintf(hgvs, sizeof hgvs, "c:g.%lld_%llddup", (long long)first, (long long)last);
    expect_same_change(bases, hgvs, out);
}

Test(variant_text, hgvs_base_by_base) {
    static const char bases[] = "AACACACAACCACACACAAAAACCCCACA";
    gw_genome *whole = genome;
    scratch_text("c.fa", ">c\nAACACACAACCACACACAAAAACCCCACA\n");
    cr_assert_eq(gw_genome_open("c.fa", &genome), GW_OK, "%s", gw_message());
    for (int64_t first = 1; first < (int64_t)strlen(bases); first++)
        for (int64_t last = first; last < (int64_t)strlen(bases); last++) try_all_changes(bases, first, last);
    gw_genome_close(genome);
    genome = whole;
}

// Each step to the left costs the same, whatever the length: a million times a million steps would not end in time.
Test(variant_text, long_hgvs, .timeout = 20) {
    enum { BASES = 1000100, LINE = 100 };
    gw_genome *whole = genome;
    gw_string text = {0};
    gw_written_alleles v;
    uint32_t state = 1;
    gw_string_puts(&text, ">c");
    for (int64_t i = 0; i < BASES; i++) {
        if (i % LINE == 0) gw_string_putc(&text, '\n');
        state = state * 1664525u + 1013904223u;
        gw_string_putc(&text, "ACGT"[state >> 30]);
    }
    gw_string_putc(&text, '\n');
    scratch_text("long.fa", text.data);
    cr_assert_eq(gw_genome_open("long.fa", &genome), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_variant_text_read("c:g.1_1000000dup", genome, NULL, &v), GW_OK, "%s", gw_message());
    cr_expect_eq(v.position, 0);
    cr_expect_eq(strlen(v.alt), 1000001);
    gw_written_alleles_free(&v);
    refused("c:g.1_1000001dup", "1000001 bases are more than the 1000000 that a change may have");
    gw_genome_close(genome);
    gw_string_free(&text);
    genome = whole;
}

static void expect_list(const char *list, const char *known, const char *rows) {
    gw_string out = {0};
    gw_unread_variants unread = {0};
    const gw_variant_list_options options = {.list = list, .known = known};
    cr_assert_eq(gw_variant_list_write(&options, genome, &out, &unread), GW_OK, "%s: %s", list, gw_message());
    cr_expect_eq(unread.count, 0, "%s", list);
    const char *found = strstr(out.data, "INFO\n");
    cr_assert_not_null(found);
    cr_expect_str_eq(found + strlen("INFO\n"), rows, "%s: %s", list, out.data);
    gw_string_free(&out);
}

static void list_refused(const char *list, const char *known, const char *message) {
    gw_string out = {0};
    gw_unread_variants unread = {0};
    const gw_variant_list_options options = {.list = list, .known = known};
    cr_expect_neq(gw_variant_list_write(&options, genome, &out, &unread), GW_OK, "%s", list);
    cr_expect(strstr(gw_message(), message), "%s: '%s' lacks '%s'", list, gw_message(), message);
    gw_unread_variants_free(&unread);
    gw_string_free(&out);
}

Test(variant_text, lists) {
    scratch_text("known.vcf", "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
                              "1\t4\trs1;rs2\tC\tT,G\t.\t.\t.\n"
                              "1\t5\t.\tG\tA\t.\t.\t.\n"
                              "1\t5\trs3\tG\tA\t.\t.\t.\n"
                              "1\t6\trs3\tT\tA\t.\t.\t.\n"
                              "1\t7\trs4\tC\tA\t.\t.\t.\n"
                              "X\t7\trs5\tC\tA\t.\t.\t.\n");
    expect_list("chr1:5:G:A, 1:g.4C>T\n1-4-C-G", NULL,
                "chr1\t5\tchr1:5:G:A\tG\tA\t.\t.\t.\nchr1\t4\t1:g.4C>T\tC\tT\t.\t.\t.\n"
                "chr1\t4\t1-4-C-G\tC\tG\t.\t.\t.\n");
    expect_list("rs3,rs2", "known.vcf",
                "chr1\t5\trs3\tG\tA\t.\t.\t.\nchr1\t6\trs3\tT\tA\t.\t.\t.\nchr1\t4\trs2\tC\tT,G\t.\t.\t.\n");
    expect_list("rs2,rs2", "known.vcf", "chr1\t4\trs2\tC\tT,G\t.\t.\t.\nchr1\t4\trs2\tC\tT,G\t.\t.\t.\n");
    list_refused("rs1", NULL, "variant 'rs1': it is only a name");
    list_refused("rs9", "known.vcf", "variant 'rs9': known.vcf has no variant of this name");
    list_refused("rs4", "known.vcf", "variant 'rs4': known.vcf: the genome has 'T' at chr1:7, not 'C'");
    list_refused("rs5", "known.vcf", "variant 'rs5': known.vcf:9: it lies on 'X', which g.fa lacks");
    list_refused("chr1:5:T:A", NULL, "variant 'chr1:5:T:A': the genome has 'G'");
    list_refused("chr1:5:T:A,rs9,chr1:x:T:A", "known.vcf", "none of 3 variants can be read");
    list_refused(" ,\n", NULL, "empty");
}

// What can be read is, and the rest is named with its line.
Test(variant_text, lists_with_faults) {
    static const char *const reasons[] = {"known.vcf has no variant of this name",
                                          "the genome has 'G' at chr1:5, not 'T'", "need the annotation that has it"};
    static const char *const texts[] = {"rs9", "chr1:5:T:A", "G:c.1A>T"};
    static const int64_t places[] = {4, 4, 6};
    gw_variant_list_options options = {.list = "chr1:4:C:G", .file = "list.txt", .known = "known.vcf"};
    gw_unread_variants unread = {0};
    gw_string out = {0};
    scratch_text("known.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
                              "1\t6\trs3\tT\tA\t.\t.\t.\n");
    scratch_text("list.txt", "\xEF\xBB\xBF# mine\r\nrs3\r\n\r\nrs9 chr1:5:T:A\n#rs8\nG:c.1A>T,chr1:5:G:A");
    cr_assert_eq(gw_variant_list_write(&options, genome, &out, &unread), GW_OK, "%s", gw_message());
    cr_expect_str_eq(strstr(out.data, "INFO\n"), "INFO\nchr1\t4\tchr1:4:C:G\tC\tG\t.\t.\t.\n"
                                                 "chr1\t6\trs3\tT\tA\t.\t.\t.\nchr1\t5\tchr1:5:G:A\tG\tA\t.\t.\t.\n");
    cr_assert_eq(unread.count, 3);
    cr_expect_eq(unread.read, 3);
    for (int i = 0; i < 3; i++) {
        cr_expect_str_eq(unread.items[i].text, texts[i]);
        cr_expect(strstr(unread.items[i].reason, reasons[i]), "%s", unread.items[i].reason);
        cr_expect_eq(unread.items[i].line, places[i]);
    }
    gw_unread_variants_free(&unread);
    gw_string_free(&out);
    scratch_text("list.txt", "# nothing\n");
    options.list = NULL;
    cr_expect_neq(gw_variant_list_write(&options, genome, &out, &unread), GW_OK);
    cr_expect_str_eq(gw_message(), "list.txt holds no variant");
    gw_string_free(&out);
}

// Of a genome of one contig its name may be left out; a position between two bases is short for one base.
Test(variant_text, without_contigs) {
    gw_genome *whole = genome;
    refused("g.4C>T", "no contig is named, and g.fa has 2: write 'chr1:' before it");
    refused("C4T", "no contig is named, and g.fa has 2");
    refused("c.4C>T", "after its gene or transcript, as in rpoB:c.4C>T");
    refused("p.S4T", "after its gene or transcript, as in rpoB:p.S4T");
    expect("chr1:C4T", 4, "C", "T");
    expect("HLA-A*01:01:G3a", 3, "G", "A");
    refused("chr1:S4L", "rpoB:p.S531L");
    scratch_text("one.fa", ">NC_1.1\nACGTACGT\n");
    cr_assert_eq(gw_genome_open("one.fa", &genome), GW_OK, "%s", gw_message());
    expect("C2T", 2, "C", "T");
    expect("ac1a", 1, "AC", "A");
    expect("g.2C>T", 2, "C", "T");
    expect("m.2del", 1, "AC", "A");
    expect("NC_1.1:C2T", 2, "C", "T");
    refused("A2T", "the genome has 'C' at NC_1.1:2, not 'A'");
    refused("A9T", "past the end");
    refused("A0T", "position");
    gw_genome_close(genome);
    genome = whole;
}
