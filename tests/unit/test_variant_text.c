// SPDX-License-Identifier: MIT
// Variants as people write them: what each form is in a VCF, and what is said of those that are none.
#include "base/string.h"
#include "seq/variant_list.h"
#include "seq/variant_text.h"
#include "tests/unit/scratch.h"

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
    gw_written_alleles v;
    cr_assert_eq(gw_variant_text_read(text, genome, &v), GW_OK, "%s: %s", text, gw_message());
    cr_expect_eq(v.position + 1, position, "%s: at %lld", text, (long long)v.position + 1);
    cr_expect_str_eq(v.ref, ref, "%s: REF %s", text, v.ref);
    cr_expect_str_eq(v.alt, alt, "%s: ALT %s", text, v.alt);
    gw_written_alleles_free(&v);
}

static void refused(const char *text, const char *message) {
    gw_written_alleles v;
    cr_expect_neq(gw_variant_text_read(text, genome, &v), GW_OK, "%s: %s>%s", text, v.ref, v.alt);
    cr_expect(strstr(gw_message(), message), "%s: '%s' lacks '%s'", text, gw_message(), message);
    gw_written_alleles_free(&v);
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
    refused("chr1:c.4C>T", "positions of a transcript");
    refused("NM_000059.4:c.68-7T>A", "positions of a transcript");
    refused("NP_000050.3:p.Val600Glu", "a change of a protein");
    refused("chr1:q.4C>T", "no kind of HGVS");
    refused("chr1:g.(4_5)_7del", "uncertain");
    refused("chr1:g.4", "expected X>Y, del, ins");
    refused("chr1:g.4=", "expected X>Y, del, ins");
    refused("chr1:g.C>T", "expected a position");
    refused("chr1:g.4+1C>T", "no offsets");
    refused("chr1:g.5_4del", "ends before it begins");
    refused("chr1:g.4_6insA", "between two neighbours");
    refused("chr1:g.4_5ins10", "written out");
    refused("chr1:g.4_5ins", "written out");
    refused("chr1:g.3_4AC>GT", "a substitution is of one base");
    refused("chr1:g.3_5delAC", "2 bases are named where the positions hold 3");
    refused("chr1:g.4C>TT", "a substitution is of one base");
    refused("chr1:g.4C>T;5G>A", "left over");
    refused("chr1:g.4dupinsA", "left over");
    refused("chr1:g.9999999999999del", "expected a position");
    refused("chr1:g.0del", "begin at 1");
}

Test(variant_text, names) {
    cr_expect(gw_variant_text_is_name("rs80357410"));
    cr_expect(gw_variant_text_is_name("esv-1-2"));
    cr_expect_not(gw_variant_text_is_name("chr1-4-C-T"));
    cr_expect_not(gw_variant_text_is_name("chr1:4:C:T"));
}

static void expect_list(const char *list, const char *known, const char *rows) {
    gw_string out = {0};
    cr_assert_eq(gw_variant_list_write(list, known, genome, &out), GW_OK, "%s: %s", list, gw_message());
    const char *found = strstr(out.data, "INFO\n");
    cr_assert_not_null(found);
    cr_expect_str_eq(found + strlen("INFO\n"), rows, "%s: %s", list, out.data);
    gw_string_free(&out);
}

static void list_refused(const char *list, const char *known, const char *message) {
    gw_string out = {0};
    cr_expect_neq(gw_variant_list_write(list, known, genome, &out), GW_OK, "%s", list);
    cr_expect(strstr(gw_message(), message), "%s: '%s' lacks '%s'", list, gw_message(), message);
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
    list_refused("rs1", NULL, "'rs1' is a name alone");
    list_refused("rs9", "known.vcf", "known.vcf has no variant 'rs9'");
    list_refused("rs4", "known.vcf", "known.vcf: rs4: the genome has 'T' at chr1:7, not 'C'");
    list_refused("rs5", "known.vcf", "rs5 lies on 'X', which g.fa lacks");
    list_refused("chr1:5:G:A,chr1:5:T:A", NULL, "variant 'chr1:5:T:A': the genome has 'G'");
    list_refused(" ,\n", NULL, "empty");
}
