// SPDX-License-Identifier: MIT
// BED files and region texts: what they mean, and what is refused with which words.
#include "seq/genome/contig_names.h"
#include "seq/genome/regions.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static gw_genome *genome; // a: 10 bp, chrB: 6 bp, c:1: 4 bp

static void setup(void) {
    scratch_enter();
    scratch_text("g.fa", ">a\nACGTACGTAC\n>chrB\nACG\nTTT\n>c:1\nGGGG\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
}

static void teardown(void) {
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(regions, .init = setup, .fini = teardown);

static void expect(const gw_regions *regions, int64_t i, int contig, int64_t begin, int64_t end) {
    cr_assert(i < regions->count, "region %lld is missing", (long long)i);
    const gw_region *r = &regions->items[i];
    cr_assert(r->contig == contig && r->begin == begin && r->end == end, "region %lld: %d:%lld-%lld", (long long)i,
              r->contig, (long long)r->begin, (long long)r->end);
}

static void expect_bed_failure(const char *bed, gw_status expected, const char *text) {
    gw_regions regions = {0};
    scratch_text("x.bed", bed);
    cr_assert_eq(gw_regions_read_bed(&regions, genome, "x.bed"), expected, "%s", bed);
    cr_assert(strstr(gw_message(), text), "%s", gw_message());
    gw_regions_free(&regions);
}

static void expect_text_failure(const char *text, gw_status expected, const char *message) {
    gw_regions regions = {0};
    cr_assert_eq(gw_regions_parse(&regions, genome, text), expected, "%s", text);
    cr_assert(strstr(gw_message(), message), "%s", gw_message());
    gw_regions_free(&regions);
}

Test(regions, bed_columns_and_comments) {
    gw_regions regions = {0};
    scratch_bgzf("x.bed.gz",
                 "#c\ntrack name=x\nbrowser hide\n\na\t0\t10\r\nB\t2\t6\tgene\t0\t-\tmore\na\t5\t5\tpoint\n");
    cr_assert_eq(gw_regions_read_bed(&regions, genome, "x.bed.gz"), GW_OK, "%s", gw_message());
    cr_assert_eq(regions.count, 3);
    expect(&regions, 0, 0, 0, 10);
    cr_assert(regions.items[0].strand == '.' && !regions.items[0].name && regions.items[0].line == 5);
    expect(&regions, 1, 1, 2, 6);
    cr_assert_eq(regions.items[1].strand, '-');
    cr_assert_str_eq(regions.items[1].name, "gene");
    expect(&regions, 2, 0, 5, 5);
    gw_regions_free(&regions);
}

Test(regions, bad_bed) {
    expect_bed_failure("a\t0\t5\na\t5\t11\n", GW_ERR_RANGE,
                       "x.bed:2: the region ends at 11, past the end of contig 'a' (10 bp)");
    expect_bed_failure("a\t6\t5\n", GW_ERR_RANGE, "x.bed:1: the region starts at 6, behind its end 5");
    expect_bed_failure("zz\t0\t5\n", GW_ERR_MISMATCH,
                       "x.bed:1: no contig 'zz' in g.fa, whose contigs are a, chrB, c:1");
    expect_bed_failure("chrb\t0\t5\n", GW_ERR_MISMATCH, "whose contigs are a, chrB, c:1; the nearest is 'chrB'");
    expect_bed_failure("a\tx\t5\n", GW_ERR_FORMAT, "x.bed:1: column 2, the start");
    expect_bed_failure("a\t-1\t5\n", GW_ERR_FORMAT, "x.bed:1: column 2, the start");
    expect_bed_failure("a\t1\t99999999999999999999\n", GW_ERR_FORMAT, "x.bed:1: column 3, the end");
    expect_bed_failure("a 0\n", GW_ERR_FORMAT,
                       "x.bed:1: expected at least three columns (contig, start, end), found 2");
    expect_bed_failure("a\t0\t5\tn\t0\tx\n", GW_ERR_FORMAT, "x.bed:1: column 6, the strand");
}

Test(regions, nearest_names) {
    static const char *const meant[][2] = {{"chr4", "IV"}, {"chrXVII", "XVI"}, {"CHR9", "IX"},
                                           {"ix", "IX"},   {"chr_IV", "IV"},   {"scaffold_12", "scaffold_1"},
                                           {"49", "XLIX"}};
    static const char *const far[] = {"NC_001133.9", "chr50", "Q", "0", ""};
    gw_genome *yeast;
    scratch_text("y.fa", ">IV\nA\n>IX\nA\n>XVI\nA\n>scaffold_1\nA\n>XLIX\nA\n");
    cr_assert_eq(gw_genome_open("y.fa", &yeast), GW_OK);
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++) {
        const int found = gw_nearest_contig(yeast, meant[i][0]);
        cr_assert(found >= 0, "%s", meant[i][0]);
        cr_assert_str_eq(gw_genome_name(yeast, found), meant[i][1], "of %s", meant[i][0]);
    }
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
        cr_assert_eq(gw_nearest_contig(yeast, far[i]), -1, "%s", far[i]);
    gw_genome_close(yeast);
}

Test(regions, texts) {
    gw_regions regions = {0};
    cr_assert_eq(gw_regions_parse(&regions, genome, "a,a:3-5,B:4-,a:10,c:1,c:1:2-3"), GW_OK, "%s", gw_message());
    cr_assert_eq(regions.count, 6);
    expect(&regions, 0, 0, 0, 10);
    expect(&regions, 1, 0, 2, 5);
    expect(&regions, 2, 1, 3, 6);
    expect(&regions, 3, 0, 9, 10);
    expect(&regions, 4, 2, 0, 4);
    expect(&regions, 5, 2, 1, 3);
    gw_regions_free(&regions);
    expect_text_failure("a:0-5", GW_ERR_RANGE, "region 'a:0-5'");
    expect_text_failure("a:5-11", GW_ERR_RANGE, "past the end of contig 'a' (10 bp)");
    expect_text_failure("a:11-", GW_ERR_RANGE, "region 'a:11-': the region ends before it starts");
    expect_text_failure("a:5-4", GW_ERR_RANGE, "region 'a:5-4': the region ends before it starts");
    expect_text_failure("a:1-x", GW_ERR_FORMAT, "region 'a:1-x'");
    expect_text_failure("q:1-2", GW_ERR_MISMATCH, "no contig 'q'");
    expect_text_failure("a,,B", GW_ERR_MISMATCH, "no contig ''");
}

Test(regions, grouped_digits) {
    char text[2016];
    gw_genome *two;
    gw_regions regions = {0};
    snprintf(text, sizeof text, ">a\n%02000d\n>200\nACGT\n", 0);
    for (char *base = strchr(text, '\n') + 1; *base == '0'; base++) *base = 'A';
    scratch_text("two.fa", text);
    cr_assert_eq(gw_genome_open("two.fa", &two), GW_OK);
    cr_assert_eq(gw_regions_parse(&regions, two, "a:1,001-1,010,a:1,500,a:3,200,a:7-1,999,200"), GW_OK, "%s",
                 gw_message());
    cr_assert_eq(regions.count, 6);
    expect(&regions, 0, 0, 1000, 1010);
    expect(&regions, 1, 0, 1499, 1500);
    expect(&regions, 2, 0, 2, 3); // 200 is a contig
    expect(&regions, 3, 1, 0, 4);
    expect(&regions, 4, 0, 6, 1999);
    expect(&regions, 5, 1, 0, 4);
    gw_regions_free(&regions);
    for (const char *const *bad = (const char *const[]){"a:1,00-5", "a:1,0011", "a,300", "a:,300", NULL}; *bad; bad++)
        cr_assert_neq(gw_regions_parse(&regions, two, *bad), GW_OK, "%s", *bad);
    gw_regions_free(&regions);
    gw_genome_close(two);
}

Test(regions, merge_and_overlap) {
    gw_regions regions = {0};
    cr_assert_eq(gw_regions_parse(&regions, genome, "B:2-3,a:6-7,a:1-3,a:4-4,a:6-6"), GW_OK);
    gw_regions_merge(&regions);
    cr_assert_eq(regions.count, 3);
    expect(&regions, 0, 0, 0, 4);
    expect(&regions, 1, 0, 5, 7);
    expect(&regions, 2, 1, 1, 3);
    cr_assert(!gw_regions_overlap(&regions, 0, 4, 5));
    cr_assert(gw_regions_overlap(&regions, 0, 4, 6));
    cr_assert(!gw_regions_overlap(&regions, 1, 3, 6));
    cr_assert(!gw_regions_overlap(&regions, 2, 0, 4));
    cr_assert_eq(gw_regions_covered(&regions, 0, 2, 6), 3);
    cr_assert_eq(gw_regions_covered(&regions, 1, 0, 6), 2);
    gw_regions_free(&regions);
}

Test(regions, targets_cut_regions) {
    gw_regions regions = {0};
    const gw_region_choice without = {.targets = "^a:3-4,B"};
    cr_assert_eq(gw_regions_choose(&regions, genome, &without), GW_OK, "%s", gw_message());
    cr_assert_eq(regions.count, 3);
    expect(&regions, 0, 0, 0, 2);
    expect(&regions, 1, 0, 4, 10);
    expect(&regions, 2, 2, 0, 4);
    gw_regions_free(&regions);
    scratch_text("t.bed", "a\t1\t3\na\t8\t10\n");
    const gw_region_choice within = {.regions = "a:2-9,B", .targets_file = "t.bed"};
    cr_assert_eq(gw_regions_choose(&regions, genome, &within), GW_OK, "%s", gw_message());
    cr_assert_eq(regions.count, 2);
    expect(&regions, 0, 0, 1, 3);
    expect(&regions, 1, 0, 8, 9);
    gw_regions_free(&regions);
    const gw_region_choice unknown = {.targets = "^VII"};
    cr_assert_eq(gw_regions_choose(&regions, genome, &unknown), GW_ERR_MISMATCH);
    gw_regions_free(&regions);
}
