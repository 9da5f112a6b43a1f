// SPDX-License-Identifier: MIT
// Labelled tables: headers, quotes, missing labels, splits, several files, duplicates, and what bad ones get.
#include "label/labelled_set.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(labelled_set, .init = scratch_enter, .fini = scratch_leave);

static gw_labelled_set *open_text(const char *text, const char *split) {
    scratch_text("t", text);
    const char *paths[] = {"t"};
    const gw_labelled_options options = {.split = split, .split_required = split != NULL};
    gw_labelled_set *set;
    cr_assert_eq(gw_labelled_set_open(paths, 1, &options, &set), GW_OK, "%s", gw_message());
    return set;
}

static void expect_shifted(gw_labelled_set *set, int64_t i, int64_t shift, const char *expected) {
    const char *bases;
    int64_t length;
    cr_assert_eq(gw_labelled_set_shifted_bases(set, i, shift, &bases, &length), GW_OK);
    cr_assert_eq(length, (int64_t)strlen(expected));
    cr_assert_eq(memcmp(bases, expected, (size_t)length), 0, "%.*s instead of %s", (int)length, bases, expected);
}

static void expect_bases(gw_labelled_set *set, int64_t i, const char *expected) {
    expect_shifted(set, i, 0, expected);
}

static void expect_description(const gw_labelled_set *set, int64_t i, const char *expected) {
    gw_string text = {0};
    gw_labelled_set_describe(set, i, &text);
    cr_assert_str_eq(text.data, expected);
    gw_string_free(&text);
}

Test(labelled_set, published_csv) {
    gw_labelled_set *set = open_text(",sequence,promoter_presence\r\n0,acgu,1\r\n1,NRYA,0\r\n", NULL);
    cr_assert_eq(gw_labelled_set_count(set), 2);
    cr_assert_eq(gw_labelled_set_labels(set), 1);
    cr_assert_str_eq(gw_labelled_set_label_name(set, 0), "promoter_presence");
    expect_bases(set, 0, "ACGT");
    expect_bases(set, 1, "NNNA");
    float value;
    gw_labelled_set_values(set, 0, &value);
    cr_assert_eq(value, 1);
    gw_labelled_set_values(set, 1, &value);
    cr_assert_eq(value, 0);
    expect_description(set, 1, "2");
    expect_shifted(set, 0, 1, "CGTN"); // nothing but the window is known
    expect_shifted(set, 0, -2, "NNAC");
    expect_shifted(set, 0, 9, "NNNN");
    gw_labelled_set_close(set);
}

Test(labelled_set, quotes_and_missing_labels) {
    gw_labelled_set *set = open_text("\"x, \"\"y\"\"\",sequence,z\n\"1\",\"ACG\",NA\n,GG,\"0.5\"\n", NULL);
    cr_assert_eq(gw_labelled_set_labels(set), 2);
    cr_assert_str_eq(gw_labelled_set_label_name(set, 0), "x, \"y\"");
    float values[2];
    gw_labelled_set_values(set, 0, values);
    cr_assert(values[0] == 1 && isnan(values[1]));
    gw_labelled_set_values(set, 1, values);
    cr_assert(isnan(values[0]) && values[1] == 0.5f);
    gw_labelled_set_close(set);
}

static void expect_error(const char *text, const char *split, const char *message) {
    scratch_text("t", text);
    const char *paths[] = {"t"};
    const gw_labelled_options options = {.split = split, .split_required = split != NULL};
    gw_labelled_set *set;
    cr_assert_neq(gw_labelled_set_open(paths, 1, &options, &set), GW_OK);
    cr_assert_not_null(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
    cr_assert_null(set);
}

Test(labelled_set, a_quoted_field_spans_lines) {
    gw_labelled_set *set = open_text("\xEF\xBB\xBFname,sequence,y\n\"a\n\"\"b\"\"\n\",AC,1\n5\",GT,0\n", NULL);
    cr_assert_eq(gw_labelled_set_count(set), 2);
    expect_bases(set, 1, "GT");
    expect_description(set, 1, "2");
    gw_labelled_set_close(set);
    expect_error("name,sequence,y\n\"a\nb\",AC,1\nc,G-,0\n", NULL, "t:4: '-' at base 2 is not a letter");
}

static const char split_table[] = "sequence\tlabel\tname\tregion\tstrand\tsplit\tkind\ttss_offset\n"
                                  "AAAA\t1\ta\tc:1-4\t+\ttrain\ttss\t2\n"
                                  "CC\t0\ta\tc:1-4\t+\ttest\tshuffle\t2\n"
                                  "GGGGGG\t0\ta\tc:1-4\t+\ttest\tshuffle\t2\n";

Test(labelled_set, splits) {
    gw_labelled_set *set = open_text(split_table, "test");
    cr_assert_eq(gw_labelled_set_count(set), 2);
    cr_assert_eq(gw_labelled_set_labels(set), 1);
    cr_assert_eq(gw_labelled_set_shortest(set), 2);
    cr_assert_eq(gw_labelled_set_longest(set), 6);
    cr_assert_eq(gw_labelled_set_tss_offset(set), 2);
    expect_bases(set, 0, "CC");
    expect_description(set, 1, "3");
    gw_labelled_set_close(set);
    set = open_text(split_table, "all");
    cr_assert_eq(gw_labelled_set_count(set), 3);
    gw_labelled_set_close(set);
}

Test(labelled_set, two_files_and_shared_sequences) {
    const char *a = "sequence,y\nAC,1\nGT,0\nAC,1\nTTT,0\n", *b = "sequence,y\nGG,1\nac,0\n";
    scratch_text("a.csv", a);
    scratch_text("b.csv", b);
    const char *paths[] = {"a.csv", "b.csv"};
    const gw_labelled_options options = {0};
    gw_labelled_set *both, *second;
    cr_assert_eq(gw_labelled_set_open(paths, 2, &options, &both), GW_OK);
    cr_assert_eq(gw_labelled_set_open(paths + 1, 1, &options, &second), GW_OK);
    cr_assert_eq(gw_labelled_set_count(both), 6);
    expect_bases(both, 4, "GG");
    expect_description(both, 5, "2");
    int64_t dropped = 0;
    cr_assert_eq(gw_labelled_set_drop_shared(both, second, &dropped), GW_OK);
    cr_assert_eq(dropped, 4);
    cr_assert_eq(gw_labelled_set_count(both), 2);
    expect_bases(both, 0, "GT");
    expect_bases(both, 1, "TTT");
    gw_labelled_set_close(both);
    gw_labelled_set_close(second);
}

Test(labelled_set, bad_tables_name_file_and_line) {
    expect_error("", NULL, "t is empty");
    expect_error("seq,y\nA,1\n", NULL, "t:1: no column \"sequence\"; there are: seq, y");
    expect_error("sequence,y\n", NULL, "t holds no example");
    expect_error("sequence,y\nAC,1\nAC\n", NULL, "t:3: 1 fields where the header has 2");
    expect_error("sequence,y\nAC,1,1\n", NULL, "t:2: 3 fields where the header has 2");
    expect_error("sequence,y\nAC,2\n", NULL, "t:2: label column 'y': 2 is outside [0, 1]");
    expect_error("sequence,y\nAC,yes\n", NULL, "'yes' is not a number");
    expect_error("sequence,y\nA-C,1\n", NULL, "t:2: '-' at base 2 is not a letter");
    expect_error("sequence,y\n,1\n", NULL, "t:2: the sequence is empty");
    expect_error("sequence,y\n\"AC,1\n", NULL, "t:2: a quote is not closed");
    expect_error("sequence,y\n\"AC\"x,1\n", NULL, "t:2: 'x' follows a closing quote");
    expect_error("sequence,y\n\"A\nC\",1\n", NULL, "t:2: a line break at base 2 is not a letter");
    expect_error("sequence,y,y\nAC,1,0\n", NULL, "t: columns 2 and 3 are both called \"y\"");
    expect_error("sequence\ty\nA\xFF\t1\n", NULL, "t:2: byte 2 of the row is not UTF-8");
    expect_error("sequence,y\nAC,1\n", "test", "t has no splits, so no test part");
    expect_error(split_table, "valid", "t holds no example of split valid");
}

Test(labelled_set, regions_need_their_genome_and_files) {
    scratch_text("s.bed", "c\t0\t2\n");
    const char *paths[] = {"s"}, *missing[] = {"none"};
    gw_labelled_options options = {0};
    gw_labelled_set *set;
    cr_assert_eq(gw_labelled_set_open(paths, 1, &options, &set), GW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(gw_message(), "-f ref.fa"));
    cr_assert_eq(gw_labelled_set_open(missing, 1, &options, &set), GW_ERR_IO);
    scratch_text("g.fa", ">c\nACGTACGTAC\n");
    cr_assert_eq(gw_genome_open("g.fa", &options.genome), GW_OK);
    cr_assert_eq(gw_labelled_set_open(paths, 1, &options, &set), GW_ERR_IO);
    cr_assert_not_null(strstr(gw_message(), "s.names.tsv"));
    gw_genome_close(options.genome);
}

Test(labelled_set, windows_of_regions) {
    scratch_text("g.fa", ">c\nAACCGGTTACGTACGTNNAC\n");
    gw_genome *genome;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    gw_regions regions = {0};
    cr_assert_eq(gw_regions_add(&regions, (gw_region){.begin = 2, .end = 6, .strand = '.'}), GW_OK);
    cr_assert_eq(gw_regions_add(&regions, (gw_region){.begin = 5, .end = 6, .strand = '.'}), GW_OK);
    cr_assert_eq(gw_regions_add(&regions, (gw_region){.begin = 8, .end = 9, .strand = '-'}), GW_OK);
    cr_assert_eq(gw_regions_add(&regions, (gw_region){.begin = 0, .end = 1, .strand = '+'}), GW_OK);
    gw_labelled_set *set;
    int64_t left_out;
    cr_assert_eq(gw_labelled_set_of_regions(genome, &regions, 4, -1, &left_out, &set), GW_OK);
    cr_assert_eq(left_out, 1);
    cr_assert_eq(gw_labelled_set_count(set), 3);
    expect_bases(set, 0, "CCGG"); // as wide as the window
    expect_bases(set, 1, "CGGT"); // 3 .. 7: base 5 stands at offset 2
    expect_bases(set, 2, "GTAA"); // 6 .. 10 is TTAC
    expect_shifted(set, 0, 2, "GGTT");
    expect_shifted(set, 0, -5, "AACC"); // the contig begins there
    expect_shifted(set, 2, 1, "CGTA");  // further on along the contig, whatever the strand
    expect_shifted(set, 2, 99, "GTNN");
    gw_labelled_set_close(set);
    regions.items[0].strand = '+';
    regions.items[1].strand = '+';
    cr_assert_eq(gw_labelled_set_of_regions(genome, &regions, 5, 1, &left_out, &set), GW_OK);
    cr_assert_eq(gw_labelled_set_count(set), 3);
    expect_bases(set, 0, "ACCGG"); // the TSS, base 2, at offset 1
    expect_bases(set, 2, "GTAAC"); // 5 .. 10 is GTTAC; base 8 at offset 1 from its right
    gw_labelled_set_close(set);
    gw_regions_free(&regions);
    gw_genome_close(genome);
}

static gw_status open_fasta(const char *positives, const char *negatives, const char *split, gw_labelled_set **set) {
    static const char *const with[] = {"with.fa"}, *const without[] = {"without.fa"};
    scratch_text("with.fa", positives);
    scratch_text("without.fa", negatives);
    const gw_labelled_options options = {
        .split = split, .negatives = without, .negative_count = 1, .tenth = split != NULL};
    return gw_labelled_set_open(with, 1, &options, set);
}

Test(labelled_set, fasta_with_and_without_the_label) {
    gw_labelled_set *set;
    float value;
    cr_assert_eq(open_fasta(">a one\nACgu\nRR\n>a\nTT\n", ">b\r\nGGG\r\n", NULL, &set), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_labelled_set_count(set), 3);
    cr_assert_eq(gw_labelled_set_labels(set), 1);
    cr_assert_str_eq(gw_labelled_set_label_name(set, 0), "positive");
    cr_assert_eq(gw_labelled_set_shortest(set), 2);
    cr_assert_eq(gw_labelled_set_longest(set), 6);
    expect_bases(set, 0, "ACGTNN");
    expect_bases(set, 1, "TT");
    expect_bases(set, 2, "GGG");
    expect_description(set, 1, "a");
    cr_assert_str_eq(gw_labelled_set_title(set), "name");
    cr_assert(!gw_labelled_set_has_names(set), "there are no strands");
    for (int64_t i = 0; i < 3; i++) {
        gw_labelled_set_values(set, i, &value);
        cr_assert_eq(value, i < 2 ? 1 : 0);
    }
    gw_labelled_set_close(set);
}

Test(labelled_set, a_tenth_of_fasta_validates) {
    char positives[12000], *at = positives;
    for (int i = 0; i < 400; i++) {
        at += sprintf(at, ">s\nACGT");
        for (int bit = 0; bit < 8; bit++) *at++ = "ACGT"[(i % 200 >> bit & 1) + 2 * (bit % 2)];
        at += sprintf(at, "\n");
    }
    gw_labelled_set *train, *valid;
    int64_t shared;
    cr_assert_eq(open_fasta(positives, ">n\nA\n>n\nC\n>n\nG\n>n\nT\n", "train", &train), GW_OK, "%s", gw_message());
    cr_assert_eq(open_fasta(positives, ">n\nA\n>n\nC\n>n\nG\n>n\nT\n", "valid", &valid), GW_OK, "%s", gw_message());
    const int64_t held = gw_labelled_set_count(valid);
    cr_expect_eq(held + gw_labelled_set_count(train), 404);
    cr_expect(held >= 20 && held <= 64, "%lld of 404", (long long)held);
    cr_assert_eq(gw_labelled_set_drop_shared(valid, train, &shared), GW_OK);
    cr_expect_eq(shared, 0, "equal sequences lie on both sides");
    gw_labelled_set_close(train);
    gw_labelled_set_close(valid);
}

static void expect_bad_fasta(const char *positives, const char *negatives, const char *message) {
    gw_labelled_set *set;
    cr_assert_neq(open_fasta(positives, negatives, NULL, &set), GW_OK);
    cr_assert_not_null(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
    cr_assert_null(set);
}

Test(labelled_set, bad_fasta) {
    expect_bad_fasta(">a\nAC\n", "", "without.fa: no sequence found: the FASTA is empty");
    expect_bad_fasta("", ">a\nAC\n", "with.fa: no sequence found: the FASTA is empty");
    expect_bad_fasta(">a\nAC\n>b\n\n", ">a\nAC\n", "with.fa: record 'b' has no bases");
    expect_bad_fasta(">a\nAC\n", ">p x\nAC\nGE\n", "without.fa: record 'p': 'E' at base 4 stands for no nucleotide");
    expect_bad_fasta(">a\nAC\n", ">p\nAC*\n", "without.fa: record 'p': '*' at base 3 stands for no nucleotide");
    expect_bad_fasta(">a\nAC\n", ">p\nA 1\n", "without.fa:2: expected sequence letters, found ' '");
    expect_bad_fasta("sequence\nAC\n", ">p\nA\n", "with.fa:1: expected a FASTA header ('>'), found 's'");
}

Test(labelled_set, records_without_labels) {
    gw_labelled_set *set;
    scratch_text("r.fa", ">r1 x\nACGT\n>r2\nAC-GTT\n");
    cr_assert_eq(gw_labelled_set_of_fasta("r.fa", 6, &set), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_labelled_set_count(set), 2);
    cr_assert_eq(gw_labelled_set_labels(set), 0);
    expect_bases(set, 1, "ACNGTT");
    expect_description(set, 0, "r1");
    gw_labelled_set_close(set);
    cr_assert_neq(gw_labelled_set_of_fasta("r.fa", 5, &set), GW_OK);
    cr_assert_not_null(strstr(gw_message(), "r.fa: record 'r2' is longer than the 5 bp that fit the model"), "%s",
                       gw_message());
}

// --- numbers -------------------------------------------------------------------------------------------------------

static gw_status open_numbers(const char *text, const gw_labelled_options *options, gw_labelled_set **out) {
    scratch_text("t", text);
    const char *paths[] = {"t"};
    gw_labelled_options numbers = *options;
    numbers.numbers = true;
    return gw_labelled_set_open(paths, 1, &numbers, out);
}

static void expect_numbers(const char *text, const gw_labelled_options *options, int labels, const double *expected) {
    gw_labelled_set *set;
    cr_assert_eq(open_numbers(text, options, &set), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_labelled_set_labels(set), labels);
    float *values = gw_labelled_set_all_values(set);
    for (int64_t i = 0; i < gw_labelled_set_count(set) * labels; i++)
        cr_expect(isnan(expected[i]) ? isnan(values[i]) : (double)values[i] == expected[i], "value %d: %g", (int)i,
                  (double)values[i]);
    free(values);
    gw_labelled_set_close(set);
}

static void refuse_numbers(const char *text, const gw_labelled_options *options, const char *message) {
    gw_labelled_set *set;
    cr_expect_neq(open_numbers(text, options, &set), GW_OK, "%s", text);
    cr_expect(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
}

Test(labelled_set, numbers_of_any_size_by_column) {
    static const char table[] = "element\tsequence\tlevel\tsd\nb\tACGT\t-12.5\t1e3\na\tTTTT\t0.25\t2\n";
    static const char *const level[] = {"level"}, *const both[] = {"sd", "level"};
    const gw_labelled_options one = {.labels = level, .label_count = 1, .group = "element"};
    expect_numbers(table, &one, 1, (double[]){-12.5, 0.25});
    expect_numbers(table, &(gw_labelled_options){.labels = both, .label_count = 2}, 2,
                   (double[]){1000, -12.5, 2, 0.25});
    expect_numbers("ACGTACGT,3.5,-2\nTTTTTTTT,4,5\n", &(gw_labelled_options){0}, 2, (double[]){3.5, -2, 4, 5});
    gw_labelled_set *set;
    cr_assert_eq(open_numbers(table, &one, &set), GW_OK);
    cr_expect_str_eq(gw_labelled_set_group(set, 0), "b");
    cr_expect_str_eq(gw_labelled_set_group(set, 1), "a");
    cr_expect_str_eq(gw_labelled_set_label_name(set, 0), "level");
    gw_labelled_set_close(set);
}

Test(labelled_set, missing_numbers_are_asked_for) {
    static const char table[] = "sequence,y\nACGT,NA\nACGT,\nACGT,2\n";
    expect_numbers(table, &(gw_labelled_options){.missing = true}, 1, (double[]){NAN, NAN, 2});
    refuse_numbers(table, &(gw_labelled_options){0}, "t:2: label column 'y': ");
    refuse_numbers(table, &(gw_labelled_options){0}, "--missing");
    refuse_numbers("sequence,y\nACGT,inf\n", &(gw_labelled_options){.missing = true}, "t:2: label column 'y': ");
    refuse_numbers("sequence,y\nACGT,high\n", &(gw_labelled_options){0}, "--label names the columns");
}

Test(labelled_set, numbers_of_regions) {
    static const char *const score[] = {"y"}, *const seventh[] = {"7"};
    gw_genome *genome;
    scratch_text("g.fa", ">a\nACGTACGTAC\n>b\nTTTTGGGG\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    gw_labelled_options o = {.genome = genome, .labels = score, .label_count = 1};
    gw_labelled_set *set;
    cr_assert_eq(open_numbers("#chrom\tstart\tend\ty\tstrand\ncopies\n", &o, &set), GW_ERR_FORMAT);
    cr_assert_eq(open_numbers("#chrom\tstart\tend\ty\tstrand\na\t1\t4\t7.5\t+\nb\t2\t6\t-1\t-\n", &o, &set), GW_OK,
                 "%s", gw_message());
    expect_bases(set, 0, "CGT");
    expect_bases(set, 1, "CCAA");
    expect_description(set, 1, "b:3-6");
    gw_labelled_set_close(set);
    o.labels = seventh;
    expect_numbers("a\t1\t4\tx\t0\t+\t3\na\t2\t5\ty\t0\t-\t4\n", &o, 1, (double[]){3, 4});
    o.label_count = 0;
    expect_numbers("a\t1\t4\t0.5\nb\t2\t5\t30\n", &o, 1, (double[]){0.5, 30});
    refuse_numbers("chrom\tstart\tend\ty\nc\t1\t4\t1\n", &o, "t:2: g.fa has no contig named c");
    refuse_numbers("chrom\tstart\tend\ty\na\t1\t40\t1\n", &o, "t:2: a (10 bp): ");
    o.genome = NULL;
    refuse_numbers("chrom\tstart\tend\ty\na\t1\t4\t1\n", &o, "-f ref.fa");
    gw_genome_close(genome);
}

Test(labelled_set, columns_of_numbers_that_are_not_there) {
    static const char *const other[] = {"z"}, *const twice[] = {"y", "y"};
    refuse_numbers("sequence,y\nACGT,1\n", &(gw_labelled_options){.labels = other, .label_count = 1}, "z");
    refuse_numbers("sequence,y\nACGT,1\n", &(gw_labelled_options){.labels = twice, .label_count = 2}, "named twice");
    refuse_numbers("sequence,y\nACGT,1\n", &(gw_labelled_options){.group = "gene"}, "gene");
    refuse_numbers("bases,y\nACGT,1\n", &(gw_labelled_options){0}, "sequence, or chrom, start and end");
}

// Means over the bases that have a value; a region without any is missing, or an error.
Test(labelled_set, means_of_tracks_are_numbers) {
    static const char *const tracks[] = {"deep/a.bedgraph"};
    static const char regions[] = "chrom\tstart\tend\tother\nc\t2\t6\tx\nc\t5\t10\tx\nc\t10\t15\tx\n"
                                  "d\t0\t4\tx\nc\t0\t1\tx\n";
    gw_genome *genome;
    gw_labelled_set *set;
    scratch_text("g.fa", ">c\nACGTACGTACACGTACGTAC\n>d\nACGTACGT\n");
    cr_assert_eq(mkdir("deep", 0700), 0);
    scratch_text("deep/a.bedgraph", "c\t0\t4\t1\nc\t4\t6\t4\nc\t8\t10\t-2\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    gw_labelled_options o = {.genome = genome, .tracks = tracks, .track_count = 1, .missing = true};
    expect_numbers(regions, &o, 1, (double[]){2.5, 0, NAN, NAN, 1});
    cr_assert_eq(open_numbers(regions, &o, &set), GW_OK);
    cr_expect_str_eq(gw_labelled_set_label_name(set, 0), "a");
    gw_labelled_set_close(set);
    o.missing = false;
    refuse_numbers(regions, &o, "deep/a.bedgraph has no value on c:11-15");
    refuse_numbers("sequence\nACGT\n", &o, "this set has sequences");
    gw_genome_close(genome);
}
