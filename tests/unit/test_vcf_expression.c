// SPDX-License-Identifier: MIT
// Filter expressions: which of a few records each chooses.
#include "seq/vcf/vcf.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>

TestSuite(vcf_expression, .init = scratch_enter, .fini = scratch_leave);

static const char sites[] = "##fileformat=VCFv4.2\n##contig=<ID=c,length=40>\n"
                            "##INFO=<ID=S,Number=1,Type=String,Description=\"\">\n"
                            "##INFO=<ID=L,Number=.,Type=String,Description=\"\">\n"
                            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
                            "c\t1\trs1\tA\tC\t10\tPASS\tS=foo;L=foo\n"
                            "c\t2\t.\tA\tC,G\t20\tPASS\tS=foo,bar;L=foo,bar\n"
                            "c\t3\tx\tAT\tG\t30\tPASS\t.\n";

static void expect_chosen(const char *expression, const char *positions) {
    gw_vcf_reader *reader;
    gw_vcf_record record = {0};
    gw_string found = {0};
    scratch_text("in.vcf", sites);
    cr_assert_eq(gw_vcf_open("in.vcf", NULL, &(gw_vcf_filter){.include_if = expression}, &reader), GW_OK, "%s",
                 gw_message());
    for (bool got = true; got;) {
        cr_assert_eq(gw_vcf_next(reader, &record, &got), GW_OK, "%s", gw_message());
        if (got) gw_string_printf(&found, "%d", (int)record.position + 1);
    }
    cr_expect_str_eq(found.data ? found.data : "", positions, "%s", expression);
    gw_string_free(&found);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
}

Test(vcf_expression, texts_behind_another_condition) {
    expect_chosen("QUAL>5 && ID=\"rs1\"", "1");
    expect_chosen("QUAL>15 && REF~\"T\"", "3");
    expect_chosen("QUAL>5 && ALT!=\"C\"", "23");
    expect_chosen("QUAL>5 && S=\"bar\"", "2");
    expect_chosen("QUAL>5 && L!~\"foo\"", "23");
    expect_chosen("QUAL<15 || ID=\"x\"", "13");
}

Test(vcf_expression, a_single_text_keeps_its_commas) {
    expect_chosen("STRLEN(S)=7", "2");
    expect_chosen("STRLEN(S)=3", "1");
    expect_chosen("STRLEN(L)=3", "12");
    expect_chosen("STRLEN(S[0])=7", "2");
    expect_chosen("STRLEN(S[1])>0", "");
    expect_chosen("S[0]=\"foo\"", "12");
    expect_chosen("S[0]!=\"foo\"", "23");
    expect_chosen("L[0]!=\"foo\"", "3");
}
