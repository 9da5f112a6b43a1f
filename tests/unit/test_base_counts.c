// SPDX-License-Identifier: MIT
// Counts of bases from tracks of both strands, and the distance of profiles, by hand.
#include "label/base_counts.h"
#include "measure/profile.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

TestSuite(base_counts, .init = scratch_enter, .fini = scratch_leave);

static gw_genome *genome;
static const bool both[] = {true, true};

static gw_base_counts *open_counts(const char *plus, const char *minus, gw_status expected) {
    static const char *const paths[] = {"plus.bedgraph", "minus.bedgraph"};
    gw_base_counts *counts;
    scratch_text("g.fa", ">one\nACGTACGTAC\n>two\nACGTA\n");
    scratch_text(paths[0], plus);
    if (minus) scratch_text(paths[1], minus);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_base_counts_open(paths, minus ? 2 : 1, genome, both, &counts), expected, "%s", gw_message());
    return counts;
}

static void expect(const gw_base_counts *counts, int64_t begin, int64_t end, char strand, const float *expected,
                   int64_t width) {
    float found[20];
    gw_base_counts_fill(counts, 0, begin, end, strand, found);
    for (int64_t i = 0; i < (end - begin) * width; i++)
        cr_expect_float_eq(found[i], expected[i], 0, "value %d: %g, expected %g", (int)i, (double)found[i],
                           (double)expected[i]);
}

Test(base_counts, columns_are_strands_and_swap_where_a_window_is_read_backwards) {
    gw_base_counts *counts = open_counts("one\t2\t4\t3\none\t5\t6\t1\n", "one\t3\t4\t7\ntwo\t0\t1\t9\n", GW_OK);
    const float forward[] = {3, 0, 3, 7, 0, 0, 1, 0}, backward[] = {0, 1, 0, 0, 7, 3, 0, 3};
    expect(counts, 2, 6, '+', forward, 2);
    expect(counts, 2, 6, '-', backward, 2);
    gw_base_counts_close(counts);
    gw_genome_close(genome);
}

Test(base_counts, one_track_has_one_column_and_stretches_that_overlap_add_up) {
    gw_base_counts *counts = open_counts("one\t0\t3\t1\none\t2\t4\t4\n", NULL, GW_OK);
    const float forward[] = {1, 5, 4, 0}, backward[] = {0, 4, 5, 1};
    expect(counts, 1, 5, '.', forward, 1);
    expect(counts, 1, 5, '-', backward, 1);
    gw_base_counts_close(counts);
    gw_genome_close(genome);
}

Test(base_counts, a_track_of_negative_numbers_counts_as_one_of_positive_ones) {
    gw_base_counts *counts = open_counts("one\t0\t1\t2\n", "one\t1\t2\t-6\ntwo\t1\t2\t-1\n", GW_OK);
    const float forward[] = {2, 0, 0, 6};
    expect(counts, 0, 2, '+', forward, 2);
    gw_base_counts_close(counts);
    gw_genome_close(genome);
}

Test(base_counts, refuses_both_signs_and_tracks_without_values) {
    gw_base_counts_close(open_counts("one\t0\t1\t2\ntwo\t1\t2\t-6\n", NULL, GW_ERR_FORMAT));
    cr_expect(strstr(gw_message(), "the count of two:2 is -6") != NULL, "%s", gw_message());
    gw_genome_close(genome);
    gw_base_counts_close(open_counts("three\t0\t1\t2\n", NULL, GW_ERR_MISMATCH));
    gw_genome_close(genome);
}

// By hand: p = (0.75, 0.25, 0), m = (0.5, 0.375, 0.125).
Test(base_counts, the_distance_of_profiles_is_the_root_of_the_mean_divergence_from_their_mean) {
    const double p[] = {3, 1, 0}, q[] = {0.25, 0.5, 0.25}, apart[] = {0, 0, 5}, none[] = {0, 0, 0};
    const double of_p = 0.75 * log(0.75 / 0.5) + 0.25 * log(0.25 / 0.375);
    const double of_q = 0.25 * log(0.25 / 0.5) + 0.5 * log(0.5 / 0.375) + 0.25 * log(0.25 / 0.125);
    cr_expect_float_eq(gw_profile_distance(p, q, 3), sqrt((of_p + of_q) / log(4)), 1e-12);
    cr_expect_float_eq(gw_profile_distance(q, p, 3), gw_profile_distance(p, q, 3), 1e-15);
    cr_expect_float_eq(gw_profile_distance(p, apart, 3), 1, 1e-12);
    cr_expect_float_eq(gw_profile_distance(p, p, 3), 0, 1e-12);
    cr_expect(isnan(gw_profile_distance(p, none, 3)));
}
