// SPDX-License-Identifier: MIT
// Profile sets to the base: which bins a peak labels by each rule, and what is written.
#include "base/memory.h"
#include "label/held_out.h"
#include "label/labelled_set.h"
#include "label/profile_set.h"
#include "label/row_file.h"
#include "scratch.h"
#include "task/windows/window_metrics.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make_genome(void) {
    scratch_enter();
    FILE *file = fopen("g.fa", "w");
    for (int c = 1; c <= 2; c++) {
        fprintf(file, ">c%d\n", c);
        for (int i = 0; i < 1050; i++) fputc("ACGT"[(i * i / 7 + c * i) % 4], file);
        fputc('\n', file);
    }
    fclose(file);
}

TestSuite(profile_set, .init = make_genome, .fini = scratch_leave);

// The labels of contig c1 as "bin.target bin.target ...".
static void expect_labels(const char *bed, gw_label_rule rule, bool majority, const char *expected) {
    gw_genome *genome;
    gw_peaks peaks;
    scratch_text("p.bed", bed);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    char *paths[] = {(char *)"p.bed"};
    cr_assert_eq(gw_peaks_read(&peaks, genome, paths, 1, rule, true), GW_OK, "%s", gw_message());
    const gw_profile_set_options options = {.bin = 100, .window = 100, .rule = rule, .majority = majority};
    gw_bin_label *labels;
    int64_t count;
    cr_assert_eq(gw_bin_labels(&peaks.contigs[0], &options, &labels, &count), GW_OK);
    gw_string text = {0};
    gw_string_puts(&text, "");
    for (int64_t i = 0; i < count; i++)
        gw_string_printf(&text, "%s%ld.%s", i ? " " : "", (long)labels[i].bin, peaks.names[labels[i].target]);
    cr_assert_str_eq(text.data ? text.data : "", expected);
    gw_string_free(&text);
    free(labels);
    gw_peaks_free(&peaks);
    gw_genome_close(genome);
}

Test(profile_set, overlap_needs_half_of_the_bin) {
    expect_labels("c1\t150\t250\tx\n", GW_LABEL_OVERLAP, false, "1.x 2.x");
    expect_labels("c1\t150\t250\tx\n", GW_LABEL_OVERLAP, true, "");
    expect_labels("c1\t149\t250\tx\n", GW_LABEL_OVERLAP, true, "1.x");
    expect_labels("c1\t151\t250\tx\n", GW_LABEL_OVERLAP, false, "2.x");
    expect_labels("c1\t350\t650\tx\n", GW_LABEL_OVERLAP, true, "4.x 5.x");
}

Test(profile_set, overlap_merges_the_targets_peaks) {
    // 30 + 30 bases that overlap by 10: exactly 50. Without merging it would be 60.
    expect_labels("c1\t100\t130\tx\nc1\t120\t150\tx\n", GW_LABEL_OVERLAP, false, "1.x");
    expect_labels("c1\t100\t130\tx\nc1\t120\t149\tx\n", GW_LABEL_OVERLAP, false, "");
    expect_labels("c1\t100\t125\tx\nc1\t170\t195\tx\n", GW_LABEL_OVERLAP, false, "1.x"); // apart, both in the bin
    expect_labels("c1\t100\t130\tx\nc1\t130\t160\ty\n", GW_LABEL_OVERLAP, false, "");    // of two targets
    expect_labels("c1\t100\t200\tx\nc1\t120\t130\tx\n", GW_LABEL_OVERLAP, false, "1.x"); // one inside the other
}

Test(profile_set, midpoint_lies_in_the_bin) {
    expect_labels("c1\t199\t200\ty\nc1\t200\t201\tx\nc1\t210\t211\tx\n", GW_LABEL_MIDPOINT, false, "1.y 2.x");
    expect_labels("c1\t180\t220\tx\n", GW_LABEL_MIDPOINT, false, "2.x"); // floor((180 + 220) / 2) = 200
    expect_labels("c1\t180\t219\tx\n", GW_LABEL_MIDPOINT, false, "1.x");
}

Test(profile_set, summit_is_column_ten) {
    expect_labels("c1\t180\t260\tx\t0\t.\t1\t1\t1\t19\nc1\t180\t260\ty\t0\t.\t1\t1\t1\t20\n", GW_LABEL_SUMMIT, false,
                  "1.x 2.y");
}

static void expect_error(const char *bed, gw_label_rule rule, const char *message) {
    gw_genome *genome;
    gw_peaks peaks;
    scratch_text("p.bed", bed);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    char *paths[] = {(char *)"p.bed"};
    cr_assert_neq(gw_peaks_read(&peaks, genome, paths, 1, rule, true), GW_OK);
    cr_assert_not_null(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
    gw_genome_close(genome);
}

Test(profile_set, bad_peaks_name_file_and_line) {
    expect_error("c1\t1\t2\tx\nc9\t1\t2\tx\n", GW_LABEL_MIDPOINT, "p.bed:2: no contig 'c9' in g.fa, whose contigs are");
    expect_error("c1\t1\t1051\tx\n", GW_LABEL_MIDPOINT, "p.bed:1: the peak ends at 1051, past the end of contig 'c1'");
    expect_error("c1\t7\t6\tx\n", GW_LABEL_MIDPOINT, "p.bed:1: the region starts at 7, behind its end 6");
    expect_error("c1\t7\t7\tx\n", GW_LABEL_MIDPOINT, "p.bed holds no peak");
    expect_error("c1\t1\tz\tx\n", GW_LABEL_MIDPOINT, "'z' is not a whole number");
    expect_error("c1\t1\t2\n", GW_LABEL_MIDPOINT, "p.bed:1: no target name");
    expect_error("c1\t1\t2\tx\n", GW_LABEL_SUMMIT, "p.bed:1: no column 10");
    expect_error("c1\t1\t2\tx\t0\t.\t1\t1\t1\t-1\n", GW_LABEL_SUMMIT, "summit (column 10)");
    expect_error("c1\t1\t2\tx\t0\t.\t1\t1\t1\t1\n", GW_LABEL_SUMMIT, "summit (column 10)");
    expect_error("# nothing\n", GW_LABEL_MIDPOINT, "p.bed holds no peak");
}

Test(profile_set, files_name_targets) {
    scratch_text("CTCF.narrowPeak", "c1\t1\t2\n");
    scratch_text("b.bed", "track x\nc1\t1\t2\tignored\r\n");
    gw_genome *genome;
    gw_peaks peaks;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    char *paths[] = {(char *)"./CTCF.narrowPeak", (char *)"b.bed", (char *)"b.bed"};
    cr_assert_eq(gw_peaks_read(&peaks, genome, paths, 3, GW_LABEL_OVERLAP, false), GW_OK, "%s", gw_message());
    cr_assert_eq(peaks.targets, 3);
    cr_assert_str_eq(peaks.names[0], "CTCF");
    cr_assert_str_eq(peaks.names[1], "b");
    cr_assert_str_eq(peaks.names[2], "b");
    cr_assert_eq(peaks.count, 3);
    gw_peaks_free(&peaks);
    gw_genome_close(genome);
}

static gw_profile_counts write_set(gw_genome *genome, const char *bed, const gw_profile_set_options *options,
                                   const char *valid, const char *test) {
    gw_peaks peaks;
    gw_held_out held_out;
    gw_profile_counts counts;
    scratch_text("p.bed", bed);
    char *paths[] = {(char *)"p.bed"};
    cr_assert_eq(gw_held_out_read(&held_out, genome, valid, test, NULL), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_peaks_read(&peaks, genome, paths, 1, options->rule, true), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_profile_set_write(genome, &peaks, &held_out, options, "set", &counts), GW_OK, "%s", gw_message());
    gw_peaks_free(&peaks);
    gw_held_out_free(&held_out);
    return counts;
}

Test(profile_set, what_is_written_is_read_back) {
    // 1050 bp: bins 0 .. 9 of 100; windows of 301 start 100 before; bins 0 and 9 leave the contig.
    const gw_profile_set_options options = {.bin = 100, .window = 301, .rule = GW_LABEL_MIDPOINT};
    gw_genome *genome;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    const gw_profile_counts counts =
        write_set(genome, "c1\t150\t151\tb\nc1\t151\t152\ta\nc1\t50\t51\ta\nc2\t810\t811\tb\n", &options, NULL, "c2");
    cr_assert_eq(counts.off_contig, 4);
    cr_assert_eq(counts.bins[GW_SPLIT_TRAIN], 8);
    cr_assert_eq(counts.bins[GW_SPLIT_TEST], 8);
    const char *sets[] = {"set"};
    gw_labelled_set *set;
    const gw_labelled_options all = {.genome = genome}, test = {.genome = genome, .split = "test"};
    cr_assert_eq(gw_labelled_set_open(sets, 1, &all, &set), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_labelled_set_count(set), 16);
    cr_assert_eq(gw_labelled_set_labels(set), 2);
    cr_assert_eq(gw_labelled_set_bin(set), 100);
    cr_assert_str_eq(gw_labelled_set_label_name(set, 0), "a");
    const char *bases;
    char expected[301];
    int64_t length;
    float values[2];
    cr_assert_eq(gw_labelled_set_bases(set, 0, &bases, &length), GW_OK);
    cr_assert_eq(length, 301);
    cr_assert_eq(gw_genome_fetch(genome, 0, 0, 301, expected), GW_OK);
    cr_assert_arr_eq(bases, expected, 301);
    for (int64_t i = 0; i < 16; i++) {
        gw_labelled_set_values(set, i, values);
        cr_assert_eq(values[0], i == 0);
        cr_assert_eq(values[1], i == 0 || i == 15);
        cr_assert_eq(gw_labelled_set_bits(set, i)[0], values[0] + 2 * values[1]);
    }
    double frequency[2];
    cr_assert_eq(gw_label_frequencies(set, frequency), GW_OK);
    cr_assert(frequency[0] == 1.0 / 16 && frequency[1] == 2.0 / 16);
    gw_string text = {0};
    gw_labelled_set_describe(set, 9, &text);
    cr_assert_str_eq(text.data, "c2:101-401");
    gw_string_free(&text);
    gw_labelled_set_close(set);
    cr_assert_eq(gw_labelled_set_open(sets, 1, &test, &set), GW_OK);
    cr_assert_eq(gw_labelled_set_count(set), 8);
    gw_labelled_set_values(set, 7, values);
    cr_assert(values[0] == 0 && values[1] == 1);
    gw_labelled_set_close(set);
    gw_genome_close(genome);
}

Test(profile_set, frequencies_of_tables_leave_out_what_is_missing) {
    const char *sets[] = {"t.tsv"};
    gw_labelled_set *set;
    double frequency[2];
    scratch_text("t.tsv", "sequence\ta\tb\nACGT\t1\t0.5\nACGA\t\t0\nACGC\t0\t1\nACCC\tNA\t0.25\n");
    cr_assert_eq(gw_labelled_set_open(sets, 1, &(gw_labelled_options){0}, &set), GW_OK, "%s", gw_message());
    cr_assert_null(gw_labelled_set_bits(set, 0));
    cr_assert_eq(gw_label_frequencies(set, frequency), GW_OK);
    cr_assert(frequency[0] == 0.5 && frequency[1] == 1.75 / 4, "%g %g", frequency[0], frequency[1]);
    gw_labelled_set_close(set);
}

Test(profile_set, labelled_bins_and_held_out_regions) {
    const gw_profile_set_options options = {
        .bin = 100, .window = 300, .rule = GW_LABEL_MIDPOINT, .bins = GW_BINS_LABELLED};
    gw_genome *genome;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    // Test is 400 .. 600: bins 4 and 5 are tested; the windows of bins 3 and 6 touch it, that of bin 7 starts at 600.
    const gw_profile_counts counts = write_set(
        genome, "c1\t350\t351\ta\nc1\t450\t451\ta\nc1\t650\t651\ta\nc1\t750\t751\ta\n", &options, NULL, "c1:401-600");
    cr_assert_eq(counts.bins[GW_SPLIT_TEST], 1);
    cr_assert_eq(counts.bins[GW_SPLIT_TRAIN], 1);
    cr_assert_eq(counts.touching, 2);
    cr_assert_eq(counts.unlabelled, 12);
    gw_genome_close(genome);
}

// c1: 1,200 random letters with some N. c2: the same from 1,000 on, then c1's first 600 turned about.
static gw_genome *open_repeats(void) {
    char one[1201], back[601];
    uint32_t state = 1;
    for (int i = 0; i < 1200; i++) {
        state = state * 1664525u + 1013904223u;
        one[i] = i % 401 == 7 ? 'N' : "ACGT"[state >> 30];
    }
    one[1200] = back[600] = 0;
    gw_reverse_complement(one, 600, back);
    FILE *file = fopen("repeats.fa", "w");
    fprintf(file, ">c1\n%s\n>c2\n%s%s\n", one, one + 1000, back);
    fclose(file);
    gw_genome *genome;
    cr_assert_eq(gw_genome_open("repeats.fa", &genome), GW_OK);
    return genome;
}

enum { WIDTH = 32, PLACES = 130, FORWARDS = 120 };

// Whether two windows are one sequence, on either strand.
static bool same_sequence(const char *a, const char *b) {
    char back[WIDTH];
    gw_reverse_complement(b, WIDTH, back);
    return memcmp(a, b, WIDTH) == 0 || memcmp(a, back, WIDTH) == 0;
}

Test(profile_set, hashes_are_those_of_sequences_on_either_strand) {
    gw_genome *genome = open_repeats();
    gw_window_hashes hashes;
    char windows[2 * PLACES][WIDTH];
    uint64_t hash[2 * PLACES];
    int equal = 0;
    cr_assert_eq(gw_window_hashes_new(&hashes, genome, WIDTH), GW_OK);
    for (int i = 0; i < 2 * PLACES; i++) { // of each contig small steps, and larger ones from its begin again
        const int contig = i / PLACES, k = i % PLACES;
        const int64_t begin = k < FORWARDS ? (contig ? 6 : 9) * k : 25 * (k - FORWARDS);
        cr_assert_eq(gw_genome_fetch(genome, contig, begin, begin + WIDTH, windows[i]), GW_OK);
        cr_assert_eq(gw_window_hash(&hashes, contig, begin, &hash[i]), GW_OK);
        for (int j = 0; j < i; j++) {
            equal += same_sequence(windows[i], windows[j]);
            cr_assert_eq(hash[i] == hash[j], same_sequence(windows[i], windows[j]), "windows %d and %d", i, j);
        }
    }
    cr_assert_gt(equal, 20);
    gw_window_hashes_free(&hashes);
    gw_genome_close(genome);
}

Test(profile_set, windows_of_held_out_sequence_are_left_out) {
    const gw_profile_set_options options = {.bin = 50, .window = 100, .rule = GW_LABEL_MIDPOINT};
    const char *peaks = "c1\t50\t51\ta\nc2\t50\t51\ta\n";
    gw_genome *genome = open_repeats();
    const gw_profile_counts all = write_set(genome, peaks, &options, NULL, NULL);
    cr_assert_eq(all.duplicates, 0);
    cr_assert_eq(all.bins[GW_SPLIT_TRAIN], 22 + 14);
    // c1's windows begin at 25, 75 .. 1075. Those at 1025 and 1075 are c2's first; those at 25 .. 475 c2's last, turned
    // about.
    gw_profile_counts counts = write_set(genome, peaks, &options, NULL, "c2");
    cr_assert_eq(counts.duplicates, 2 + 10);
    cr_assert_eq(counts.bins[GW_SPLIT_TRAIN], 10);
    cr_assert_eq(counts.bins[GW_SPLIT_TEST], 14);
    // Five are for validation now, and the next one touches their sequence; the test part comes first still.
    counts = write_set(genome, peaks, &options, "c1:1-300", "c2");
    cr_assert_eq(counts.duplicates, 5 + 4 + 2);
    cr_assert_eq(counts.touching, 1);
    cr_assert_eq(counts.bins[GW_SPLIT_VALID], 0);
    cr_assert_eq(counts.bins[GW_SPLIT_TRAIN], 10);
    gw_genome_close(genome);
}

Test(profile_set, damaged_label_files) {
    gw_row_writer *writer;
    gw_row_file *bits;
    const uint8_t row[2] = {0x81, 0x01};
    cr_assert_eq(gw_row_writer_open("x.labels", &gw_label_rows, 9, &writer), GW_OK);
    for (int i = 0; i < 3; i++) cr_assert_eq(gw_row_writer_add(writer, row), GW_OK);
    cr_assert_eq(gw_row_writer_close(writer), GW_OK);
    cr_assert_eq(gw_row_file_open("x.labels", &gw_label_rows, &bits), GW_OK);
    cr_assert_eq(gw_row_file_rows(bits), 3);
    const bool expected[9] = {1, 0, 0, 0, 0, 0, 0, 1, 1};
    for (int t = 0; t < 9; t++) cr_assert_eq(gw_label_bit(gw_row_file_row(bits, 2), t), expected[t]);
    gw_row_file_close(bits);
    cr_assert_eq(truncate("x.labels", 29), 0);
    cr_assert_eq(gw_row_file_open("x.labels", &gw_label_rows, &bits), GW_ERR_FORMAT);
    cr_assert_not_null(strstr(gw_message(), "x.labels has 29 bytes"));
    scratch_text("y.labels", "this is not a label file at all, is it");
    cr_assert_eq(gw_row_file_open("y.labels", &gw_label_rows, &bits), GW_ERR_FORMAT);
}
