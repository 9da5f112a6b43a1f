// SPDX-License-Identifier: MIT
// Bytes as a filter expression: whatever it says, records of many kinds can be tested by it.
#include "seq/vcf/vcf_expression.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static const char variants[] = "##fileformat=VCFv4.3\n"
                               "##FILTER=<ID=q10,Description=\"\">\n"
                               "##FILTER=<ID=s50,Description=\"\">\n"
                               "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"\">\n"
                               "##INFO=<ID=AF,Number=A,Type=Float,Description=\"\">\n"
                               "##INFO=<ID=DB,Number=0,Type=Flag,Description=\"\">\n"
                               "##INFO=<ID=CSQ,Number=.,Type=String,Description=\"\">\n"
                               "##contig=<ID=1,length=1000>\n"
                               "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
                               "1\t1\trs1\tA\tC,G\t30\tPASS\tDP=10;AF=0.1,0.9;DB;CSQ=a,b\n"
                               "1\t2\t.\tAC\tA\t.\tq10;s50\tDP=.;AF=.\n"
                               "1\t3\tx;y\tA\t<DEL>,*\t1e9\t.\t.\n"
                               "1\t4\t.\tA\t.\t-0\tq10\tCSQ=%3B\n"
                               "1\t5\t.\tAC\tGT,]1:7]A\t3.5\tPASS\tDP=-2147483647;AF=nan,inf\n";

static void test_all(gw_vcf_reader *reader, gw_vcf_expression *expression) {
    gw_vcf_record record = {0};
    bool got = true, yes;
    while (gw_vcf_next(reader, &record, &got) == GW_OK && got)
        if (gw_vcf_expression_test(expression, &record, &yes) != GW_OK) break;
    gw_vcf_record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char path[64];
    gw_vcf_reader *reader;
    gw_vcf_expression *expression;
    if (!path[0]) fuzz_file(path, "in.vcf", variants, sizeof variants - 1);
    char *text = malloc(size + 1);
    if (!text || gw_vcf_open(path, NULL, NULL, &reader) != GW_OK) abort();
    memcpy(text, data, size);
    text[size] = 0;
    if (gw_vcf_expression_new(text, reader, &expression) == GW_OK) {
        test_all(reader, expression);
        gw_vcf_expression_free(expression);
    }
    gw_vcf_close(reader);
    free(text);
    return 0;
}
