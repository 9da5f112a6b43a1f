// SPDX-License-Identifier: MIT
// Reading and writing variant files: original lines, headers, damage, formats.
#include "base/log.h"
#include "base/output.h"
#include "seq/vcf/vcf.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(vcf, .init = scratch_enter, .fini = scratch_leave);

#define HEAD "##fileformat=VCFv4.2\n##contig=<ID=c,length=40>\n##INFO=<ID=X,Number=1,Type=String,Description=\"x\">\n"
#define COLUMNS "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"

static gw_genome *open_genome(void) {
    gw_genome *genome;
    scratch_text("g.fa", ">c\nACGTTGCAACGGTCTAGACCATGCATTTGACGNNRACGTA\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    return genome;
}

static gw_status read_all(gw_genome *genome, const char *path, const gw_vcf_filter *filter, int *records) {
    gw_vcf_reader *reader;
    gw_vcf_record record = {0};
    *records = 0;
    GW_TRY(gw_vcf_open(path, genome, filter, &reader));
    gw_status status = GW_OK;
    for (bool got = true; status == GW_OK && got;) {
        status = gw_vcf_next(reader, &record, &got);
        *records += status == GW_OK && got;
    }
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    return status;
}

static void expect_failure(const char *text, const char *message) {
    gw_genome *genome = open_genome();
    int records;
    scratch_text("in.vcf", text);
    cr_expect_neq(read_all(genome, "in.vcf", NULL, &records), GW_OK, "accepted: %s", text);
    cr_expect_not_null(strstr(gw_message(), message), "message '%s' lacks '%s'", gw_message(), message);
    gw_genome_close(genome);
}

Test(vcf, broken_headers) {
    expect_failure("", "neither VCF nor BCF");
    expect_failure("chr1\t1\n", "neither VCF nor BCF");
    expect_failure("##fileformat=VCFv4.2\n", "ends without a #CHROM line");
    expect_failure("##fileformat=VCFv4.2\nc\t1\t.\tA\tC\t.\t.\t.\n", "in.vcf:2: broken header");
    expect_failure("##fileformat=VCFv4.2\n#CHROM POS ID\n", "in.vcf:2: broken header");
    expect_failure("##fileformat=VCFv4.2\n##contig=<ID=c,length=41>\n" COLUMNS, "different assemblies");
}

static void expect_utf16(const char bytes[6]) {
    int records;
    FILE *file = fopen("wide.vcf", "w");
    cr_assert(file && fwrite(bytes, 6, 1, file) == 1 && fclose(file) == 0);
    cr_expect_neq(read_all(NULL, "wide.vcf", NULL, &records), GW_OK);
    cr_expect(strstr(gw_message(), "wide.vcf is text in UTF-16"), "%s", gw_message());
}

// Left out of what is written; of UTF-16 the message says what it is.
Test(vcf, byte_order_marks) {
    static const char marked[] = "\xEF\xBB\xBF" HEAD COLUMNS "c\t1\t.\tA\tC\t.\t.\t.\n";
    static const char *const names[] = {"in.vcf", "in.vcf.gz", "plain.vcf.gz"};
    gw_genome *genome = open_genome();
    gw_vcf_reader *reader;
    int records;
    scratch_text("in.vcf", marked);
    scratch_bgzf("in.vcf.gz", marked);
    scratch_gzip("plain.vcf.gz", marked);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert_eq(read_all(genome, names[i], NULL, &records), GW_OK, "%s: %s", names[i], gw_message());
        cr_expect_eq(records, 1, "%s: %d records", names[i], records);
        cr_assert_eq(gw_vcf_open(names[i], genome, NULL, &reader), GW_OK);
        cr_expect_str_eq(gw_vcf_header(reader), HEAD COLUMNS, "%s", names[i]);
        gw_vcf_close(reader);
    }
    gw_genome_close(genome);
    expect_utf16("\xFF\xFE#\0#\0");
    expect_utf16("\xFE\xFF\0#\0#");
    expect_utf16("#\0#\0f\0");
    expect_utf16("\0#\0#\0f");
    expect_failure("\xEF\xBB\xBFx\t1\n", "neither VCF nor BCF");
    expect_failure("\x01\x02\x03\x04", "neither VCF nor BCF");
}

Test(vcf, malformed_records_are_named_by_line) {
    expect_failure(HEAD COLUMNS "c\t1\t.\tA\tC\t.\t.\n", "in.vcf:5: 7 columns, but the header has 8");
    expect_failure(HEAD COLUMNS "c\t1\t.\tA\tC\t.\t.\t.\t.\n", "in.vcf:5: 9 columns");
    expect_failure(HEAD COLUMNS "c\tx\t.\tA\tC\t.\t.\t.\n", "in.vcf:5: POS");
    expect_failure(HEAD COLUMNS "c\t-1\t.\tA\tC\t.\t.\t.\n", "in.vcf:5: POS");
    expect_failure(HEAD COLUMNS "c\t1\t.\tA\t\t.\t.\t.\n", "in.vcf:5: column ALT is empty");
    expect_failure(HEAD COLUMNS "c\t1\t.\tA\tC,\t.\t.\t.\n", "in.vcf:5: allele 2 of ALT is empty");
    expect_failure(HEAD COLUMNS "c\t1\t.\tA\tC-\t.\t.\t.\n", "in.vcf:5: ALT 'C-'");
    expect_failure(HEAD COLUMNS "c\t1\t.\t.\tC\t.\t.\t.\n", "in.vcf:5: REF is '.'");
    expect_failure(HEAD COLUMNS "\n", "in.vcf:5: 1 columns");
}

static char warned[4096];

static void keep_warning(const char *message) {
    snprintf(warned + strlen(warned), sizeof warned - strlen(warned), "%s\n", message);
}

static void expect_warnings(const char *text, const char *warnings) {
    static const gw_log_hooks hooks = {.warn = keep_warning};
    gw_vcf_reader *reader;
    gw_vcf_record record = {0};
    warned[0] = 0;
    scratch_text("in.vcf", text);
    cr_assert_eq(gw_vcf_open("in.vcf", NULL, NULL, &reader), GW_OK, "%s", gw_message());
    for (bool got = true; got;) cr_assert_eq(gw_vcf_next(reader, &record, &got), GW_OK, "%s", gw_message());
    gw_set_log_hooks(&hooks);
    gw_vcf_warn_of_header(reader);
    gw_vcf_warn_of_records(reader);
    gw_set_log_hooks(NULL);
    cr_expect_str_eq(warned, warnings, "%s: %s", text, warned);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
}

#define DECLARE(kind, id, number, type) "##" kind "=<ID=" id ",Number=" number ",Type=" type ",Description=\"x\">\n"
#define LINE(alt, info) "c\t1\t.\tA\t" alt "\t.\t.\t" info "\n"

// Each kind once, with the number of its records and the first place; what is allowed is not told of.
Test(vcf, oddities) {
    static const char head[] = "##fileformat=VCFv4.2\n##contig=<ID=c>\n" DECLARE("INFO", "A", "A", "Integer")
        DECLARE("INFO", "R", "R", "Float") DECLARE("INFO", "G", "G", "Float") DECLARE("INFO", "T", "2", "Integer")
            DECLARE("INFO", "V", ".", "String") DECLARE("INFO", "S", "1", "String") DECLARE("INFO", "F", "0", "Flag")
                DECLARE("FORMAT", "GT", "1", "String") "##FILTER=<ID=low,Description=\"x\">\n" COLUMNS;
    static const struct {
        const char *records, *warnings;
    } cases[] = {
        {LINE("C", "A=1;R=0.5,-1e-3;G=1,2;T=1,2;V;S=x;F") LINE("C,G", "A=1,.;R=.;F=1;V=a,b,c;T=.,.")
             LINE(".", "A=1;F=0;R=nan"),
         ""},
        {"d\t1\t.\tA\tC\t.\tPASS;low\t.\nc\t1\t.\tA\tC\t.\tlow;bad\tX;X=1;Y\nd\t1\t.\tA\tC\t.\tq\tX\n",
         "in.vcf: 2 records lie on a contig that the header does not declare: the first is 'd' in line 13\n"
         "in.vcf: 2 records have a FILTER that the header does not declare: the first is 'bad' in line 14\n"
         "in.vcf: 2 records have an INFO key that the header does not declare: the first is 'X' in line 14\n"},
        {LINE("C,G", "A=1") LINE("C", "R=1") LINE("C", "T=1;S=a,b") LINE("C", "A"),
         "in.vcf: 4 records have more or fewer values of an INFO key than the header declares: the first is 'A=1' in "
         "line 13\n"},
        {LINE("C", "A=x;R=1,y") LINE("C", "A=1.5") LINE("C", "A=2147483648") LINE("C", "A=") LINE("C", "F=2"),
         "in.vcf: 5 records have INFO values of another type than the header declares: the first is 'A=x' in line "
         "13\n"},
    };
    char text[2048];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%s%s", head, cases[i].records);
        expect_warnings(text, cases[i].warnings);
    }
    static const char twice[] = "##fileformat=VCFv4.2\n##contig=<ID=c>\n" DECLARE("INFO", "A", "1", "Float")
        DECLARE("FORMAT", "A", "1", "Float")
            DECLARE("INFO", "A", "1", "Float") "##contig=<ID=c,length=40>\n"
                                               "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n"
                                               "c\t1\t.\tA\tC\t.\t.\t.\tA:GT\t1:0\n";
    expect_warnings(twice,
                    "in.vcf: 2 header lines repeat the declaration of an earlier line, the first in line 5\n"
                    "in.vcf: 1 records have a FORMAT key that the header does not declare: the first is 'GT' in line "
                    "8\n");
}

Test(vcf, cut_files) {
    gw_genome *genome = open_genome();
    int records;
    scratch_bgzf("in.vcf.gz", HEAD COLUMNS "c\t1\t.\tA\tC\t.\t.\t.\n");
    cr_expect_eq(read_all(genome, "in.vcf.gz", NULL, &records), GW_OK);
    cr_expect_eq(records, 1);
    scratch_cut("in.vcf.gz", 28); // the end-of-file block
    cr_expect_neq(read_all(genome, "in.vcf.gz", NULL, &records), GW_OK);
    cr_expect_not_null(strstr(gw_message(), "truncated"));
    scratch_gzip("in.vcf.gz", HEAD COLUMNS "c\t1\t.\tA\tC\t.\t.\t.\n");
    cr_expect_eq(read_all(genome, "in.vcf.gz", NULL, &records), GW_OK);
    scratch_cut("in.vcf.gz", 12);
    cr_expect_neq(read_all(genome, "in.vcf.gz", NULL, &records), GW_OK, "a cut gzip file was accepted");
    gw_genome_close(genome);
}

static const gw_info_key KEYS[] = {
    {"G_F", GW_INFO_FLOAT, "f"}, {"G_I", GW_INFO_INTEGER, "i"}, {"G_S", GW_INFO_STRING, "s"}};

// Reads `input`, adds the three keys with 0.5, 7 and "a%2Cb" for the first ALT and nothing for others, writes `output`.
static gw_status convert(const char *input, const char *output, char format, bool overwrite) {
    gw_genome *genome = open_genome();
    gw_vcf_reader *reader = NULL;
    gw_vcf_writer *writer = NULL;
    gw_vcf_record record = {0};
    const gw_vcf_output options = {
        .format = format, .overwrite = overwrite, .keys = KEYS, .key_count = 3, .lines = "##note=x\n"};
    const float floats[] = {0.5F, NAN, NAN};
    const int32_t integers[] = {7, INT32_MIN, INT32_MIN};
    const char *const strings[] = {"a%2Cb", NULL, NULL};
    const gw_info_values values[] = {
        {KEYS, floats, NULL, NULL}, {KEYS + 1, NULL, integers, NULL}, {KEYS + 2, NULL, NULL, strings}};
    gw_status status = gw_vcf_open(input, genome, NULL, &reader);
    if (status == GW_OK) status = gw_vcf_create(output, reader, &options, &writer);
    for (bool got = true; status == GW_OK && got;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status == GW_OK && got) status = gw_vcf_write(writer, &record, values, record.alts > 0 ? 3 : 0);
    }
    if (status == GW_OK) status = gw_vcf_finish(writer);
    else gw_vcf_abandon(writer);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    gw_genome_close(genome);
    return status;
}

static void expect_file(const char *path, const char *expected) {
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file(path, &bytes, &count), GW_OK, "%s", gw_message());
    cr_expect_str_eq(bytes, expected, "%s holds\n%s", path, bytes);
    free(bytes);
}

#define ADDED                                                                                                          \
    "##INFO=<ID=G_F,Number=A,Type=Float,Description=\"f\">\n##INFO=<ID=G_I,Number=A,Type=Integer,Description=\"i\">\n" \
    "##INFO=<ID=G_S,Number=A,Type=String,Description=\"s\">\n##note=x\n"

Test(vcf, text_lines_stay_but_for_info) {
    scratch_text("in.vcf", HEAD COLUMNS "c\t2\trs1\tc\tA,*\t1234567.89\tPASS\tX=1e-99;Y\n"
                                        "c\t3\t.\tG\tT\t.\t.\t.\n"
                                        "c\t3\t.\tG\t.\t.\t.\t.\n");
    cr_assert_eq(convert("in.vcf", "out.vcf", 'v', false), GW_OK, "%s", gw_message());
    expect_file("out.vcf",
                HEAD ADDED COLUMNS "c\t2\trs1\tc\tA,*\t1234567.89\tPASS\tX=1e-99;Y;G_F=0.5,.;G_I=7,.;G_S=a%2Cb,.\n"
                                   "c\t3\t.\tG\tT\t.\t.\tG_F=0.5;G_I=7;G_S=a%2Cb\n"
                                   "c\t3\t.\tG\t.\t.\t.\t.\n");
}

Test(vcf, keys_that_are_there_are_an_error_or_replaced) {
    scratch_text("in.vcf", HEAD COLUMNS "c\t3\t.\tG\tT\t.\t.\tG_F=9;X=1;G_FF=2\n");
    cr_expect_neq(convert("in.vcf", "out.vcf", 'v', false), GW_OK);
    cr_expect_not_null(strstr(gw_message(), "in.vcf:5: INFO already has G_F"), "%s", gw_message());
    cr_expect_not(gw_file_exists("out.vcf"));
    cr_assert_eq(convert("in.vcf", "out.vcf", 'v', true), GW_OK, "%s", gw_message());
    expect_file("out.vcf", HEAD ADDED COLUMNS "c\t3\t.\tG\tT\t.\t.\tX=1;G_FF=2;G_F=0.5;G_I=7;G_S=a%2Cb\n");
    cr_expect_neq(convert("out.vcf", "again.vcf", 'v', false), GW_OK);
    cr_expect_not_null(strstr(gw_message(), "already has INFO/G_F"), "%s", gw_message());
}

Test(vcf, bcf_and_back) {
    scratch_text("in.vcf", HEAD COLUMNS "c\t2\trs1\tC\tA,*\t50\tPASS\tX=y\nc\t3\t.\tG\tT\t.\tPASS\t.\n");
    cr_assert_eq(convert("in.vcf", "out.bcf", 'b', false), GW_OK, "%s", gw_message());
    cr_expect_neq(convert("out.bcf", "back.vcf", 'v', false), GW_OK);
    cr_assert_eq(convert("out.bcf", "back.vcf", 'v', true), GW_OK, "%s", gw_message());
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file("back.vcf", &bytes, &count), GW_OK);
    cr_expect_not_null(strstr(bytes, "c\t2\trs1\tC\tA,*\t50\tPASS\tX=y;G_F=0.5,.;G_I=7,.;G_S=a%2Cb,.\n"), "%s", bytes);
    free(bytes);
    scratch_text("bad.vcf", HEAD COLUMNS "c\t2\t.\tC\tA\t.\t.\tUNDECLARED=1\n");
    cr_expect_neq(convert("bad.vcf", "bad.bcf", 'b', false), GW_OK);
    cr_expect_not_null(strstr(gw_message(), "bad.vcf:5: INFO 'UNDECLARED' is not declared"), "%s", gw_message());
    cr_expect_not(gw_file_exists("bad.bcf"));
    scratch_cut("out.bcf", 28);
    cr_expect_neq(convert("out.bcf", "cut.vcf", 'v', true), GW_OK);
}

Test(vcf, targets_by_position) {
    gw_genome *genome = open_genome();
    gw_regions targets = {0};
    int records;
    scratch_text("in.vcf", HEAD COLUMNS "c\t1\t.\tACG\tT\t.\t.\t.\nc\t3\t.\tG\tT\t.\t.\t.\nd\t3\t.\tG\tT\t.\t.\t.\n");
    cr_assert_eq(gw_regions_parse(&targets, genome, "c:2-3"), GW_OK);
    gw_regions_merge(&targets);
    const gw_vcf_filter inside = {.targets = &targets}, outside = {.targets = &targets, .exclude = true};
    cr_expect_eq(read_all(genome, "in.vcf", &inside, &records), GW_OK);
    cr_expect_eq(records, 1);
    cr_expect_eq(read_all(genome, "in.vcf", &outside, &records), GW_OK);
    cr_expect_eq(records, 2);
    const gw_vcf_filter regions = {.regions = &targets};
    cr_expect_neq(read_all(genome, "in.vcf", &regions, &records), GW_OK); // not BGZF, no index
    gw_regions_free(&targets);
    gw_genome_close(genome);
}
