// SPDX-License-Identifier: MIT
// Ranks add up groups to the same bits whatever their number, and agree on who has failed.
#include "run/group_sum.h"
#include "run/optimiser.h"
#include "run/ranks.h"
#include "tests/unit/shared_ranks.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 24, FLOATS = 5000, FEW = 7 };

// Numbers of many sizes, whose sums depend on their order.
static float number(int64_t group, int64_t i) {
    const uint32_t mixed = (uint32_t)(group * 2654435761u) ^ (uint32_t)(i * 40503u + 12345);
    return ldexpf((float)(mixed % 20011) - 10005, (int)(mixed >> 16) % 24 - 12);
}

// The sum of groups [begin, begin + size), size a power of two, as far as there are any: of its halves.
static float sum_of(int64_t begin, int64_t size, int64_t groups, int64_t i) {
    if (size == 1) return number(begin, i);
    const float low = sum_of(begin, size / 2, groups, i);
    return begin + size / 2 < groups ? low + sum_of(begin + size / 2, size / 2, groups, i) : low;
}

static float expected(int64_t groups, int64_t i) {
    int64_t size = 1;
    while (size < groups) size *= 2;
    return sum_of(0, size, groups, i);
}

// Returns how many numbers are others than expected. Pieces come from the last to the first.
static int add_groups(void *context) {
    enum { PIECE = 1200 };
    const int64_t groups = *(const int64_t *)context;
    gw_group_sum sum;
    float *numbers = malloc(FLOATS * sizeof *numbers);
    int faults = gw_group_sum_make(&sum, groups, FLOATS, PIECE) != GW_OK;
    for (int turn = 0; turn < 2 && !faults; turn++) {
        gw_group_sum_restart(&sum);
        for (int64_t g = sum.own.begin; g < sum.own.end; g++) {
            for (int64_t i = 0; i < FLOATS; i++) numbers[i] = number(g, i);
            faults += gw_group_sum_misses(&sum) != (g + 1 < sum.own.end);
            if (gw_group_sum_misses(&sum)) gw_group_sum_add(&sum, numbers);
        }
        for (int64_t begin = FLOATS / PIECE * PIECE; begin >= 0; begin -= PIECE)
            gw_group_sum_piece(&sum, begin, begin + PIECE < FLOATS ? PIECE : FLOATS - begin, numbers);
        for (int64_t i = 0; i < FLOATS; i++) faults += numbers[i] != expected(groups, i);
    }
    gw_group_sum_free(&sum);
    free(numbers);
    return faults > 0;
}

static double few_of(int64_t group, int64_t i) {
    return (double)number(group, i) / 3;
}

static double few_sum(int64_t begin, int64_t size, int64_t groups, int64_t i) {
    if (size == 1) return few_of(begin, i);
    const double low = few_sum(begin, size / 2, groups, i);
    return begin + size / 2 < groups ? low + few_sum(begin + size / 2, size / 2, groups, i) : low;
}

static int add_few(void *context) {
    const int64_t groups = *(const int64_t *)context;
    const gw_group_range own = gw_groups_of_rank(groups, gw_rank(), gw_rank_count());
    double values[MOST_GROUPS * FEW], total[FEW];
    for (int64_t g = own.begin; g < own.end; g++)
        for (int64_t i = 0; i < FEW; i++) values[(g - own.begin) * FEW + i] = few_of(g, i);
    int faults = gw_group_sum_few(groups, values, FEW, total) != GW_OK;
    for (int64_t i = 0; i < FEW; i++) faults += total[i] != few_sum(0, 32, groups, i);
    return faults;
}

Test(ranks, sums_have_the_bits_of_the_tree_on_any_number_of_ranks) {
    for (int64_t groups = 1; groups <= MOST_GROUPS; groups++) {
        int status = add_groups(&groups);
        cr_assert_eq(status, 0, "%d groups alone", (int)groups);
        cr_assert_eq(add_few(&groups), 0, "few of %d groups alone", (int)groups);
        for (int ranks = 2; ranks <= 5 && ranks <= groups; ranks++) {
            run_on_ranks(ranks, add_groups, &groups);
            run_on_ranks(ranks, add_few, &groups);
        }
    }
}

Test(ranks, each_has_as_many_groups_as_can_be) {
    for (int64_t groups = 1; groups < 40; groups++)
        for (int ranks = 1; ranks <= groups; ranks++)
            for (int r = 0; r < ranks; r++) {
                const gw_group_range own = gw_groups_of_rank(groups, r, ranks);
                const gw_group_range next = gw_groups_of_rank(groups, r + 1, ranks);
                cr_assert_eq(own.end, r + 1 < ranks ? next.begin : groups);
                cr_assert(own.end - own.begin == groups / ranks || own.end - own.begin == groups / ranks + 1);
            }
}

static int gather_slices(void *context) {
    const int64_t floats = *(const int64_t *)context;
    const gw_slice own = gw_slice_of_rank(floats, gw_rank(), gw_rank_count());
    float *whole = calloc((size_t)floats, sizeof *whole), *piece = malloc(GW_SLICE_PIECE * sizeof *piece);
    int faults = 0;
    for (int64_t i = own.begin; i < own.end; i++) whole[i] = number(1, i);
    gw_slices_gather(whole, floats, piece);
    for (int64_t i = 0; i < floats; i++) faults += whole[i] != number(1, i);
    free(whole);
    free(piece);
    return faults > 0;
}

// Slices are brought to rank 0 and taken from there; returns how many numbers are others than they should be.
static int move_slices(void *context) {
    const int64_t floats = *(const int64_t *)context, begin = floats / 3, count = floats / 2;
    const gw_slice own = gw_slice_of_rank(floats, gw_rank(), gw_rank_count());
    float *whole = calloc((size_t)floats, sizeof *whole), *piece = malloc((size_t)floats * sizeof *piece);
    int faults = 0;
    for (int64_t i = 0; i < floats; i++) whole[i] = number(1, i);
    memset(piece, 0, (size_t)floats * sizeof *piece);
    gw_slices_collect(whole + own.begin, floats, begin, count, piece);
    for (int64_t i = 0; i < floats && gw_is_first_rank(); i++) faults += piece[i] != (i < count ? whole[begin + i] : 0);
    for (int64_t i = 0; i < count; i++) piece[i] = gw_is_first_rank() ? number(2, begin + i) : 0;
    gw_slices_spread(whole + own.begin, floats, begin, count, piece);
    for (int64_t i = own.begin; i < own.end; i++)
        faults += whole[i] != number(i >= begin && i < begin + count ? 2 : 1, i);
    free(whole);
    free(piece);
    return faults > 0;
}

Test(ranks, slices_are_moved) {
    for (int ranks = 1; ranks <= 5; ranks++)
        for (int64_t floats = 7; floats < 1000; floats += 111) {
            int64_t end = 0;
            for (int r = 0; r < ranks; r++) {
                const gw_slice slice = gw_slice_of_rank(floats, r, ranks);
                cr_assert(slice.begin == end && slice.begin <= slice.end && slice.begin % 16 == 0);
                end = slice.end;
            }
            cr_assert_eq(end, floats);
            run_on_ranks(ranks, gather_slices, &floats);
            run_on_ranks(ranks, move_slices, &floats);
        }
}

// More than a piece holds at a time.
Test(ranks, slices_of_many_numbers_are_gathered) {
    int64_t floats = 2 * GW_SLICE_PIECE;
    run_on_ranks(3, gather_slices, &floats);
}

static int fail_on_one(void *context) {
    const int failing = *(const int *)context;
    if (gw_ranks_agree(GW_OK) != GW_OK) return 1;
    const gw_status mine = gw_rank() == failing ? gw_fail(GW_ERR_IO, "disk is full") : GW_OK;
    const gw_status all = gw_ranks_agree(mine);
    char text[64];
    snprintf(text, sizeof text, failing > 0 ? "rank %d of 3: disk is full" : "disk is full", failing);
    if (all != GW_ERR_IO || strcmp(gw_message(), text) != 0) return 2;
    return gw_ranks_agree(GW_OK) != GW_OK; // parted: nothing is exchanged
}

static int fail_on_all(void *context) {
    (void)context;
    return gw_ranks_agree(gw_fail(GW_ERR_FORMAT, "x:1: wrong")) != GW_ERR_FORMAT ||
           strcmp(gw_message(), "x:1: wrong") != 0;
}

// One is interrupted, another fails: the failure counts.
static int fail_and_interrupt(void *context) {
    (void)context;
    const gw_status mine = gw_rank() == 0   ? gw_fail(GW_ERR_INTERRUPTED, "interrupted")
                           : gw_rank() == 1 ? gw_fail(GW_ERR_RANGE, "not finite")
                                            : GW_OK;
    return gw_ranks_agree(mine) != GW_ERR_RANGE || strcmp(gw_message(), "rank 1 of 3: not finite") != 0;
}

Test(ranks, a_failure_of_one_is_that_of_all) {
    for (int failing = 0; failing < 3; failing++) run_on_ranks(3, fail_on_one, &failing);
    run_on_ranks(3, fail_on_all, NULL);
    run_on_ranks(3, fail_and_interrupt, NULL);
}

static int compare_texts(void *context) {
    (void)context;
    if (gw_ranks_compare("the seed", "1") != GW_OK) return 1;
    if (gw_ranks_compare("the seed", gw_rank() == 2 ? "12" : "1") != GW_ERR_MISMATCH) return 2;
    return strcmp(gw_message(), "rank 2 of 4: the seed is '12', that of rank 0 '1'") != 0;
}

Test(ranks, texts_are_compared_with_rank_0) {
    run_on_ranks(4, compare_texts, NULL);
}
