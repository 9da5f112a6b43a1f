// SPDX-License-Identifier: MIT
// Where a signal of one allele stands in the other one: places by hand, on both strands.
#include "score/polya_scorer.h"

#include <criterion/criterion.h>
#include <stddef.h>

// A sequence with a signal at one place, or none.
static bool has(const void *context, int64_t at) {
    const int64_t *place = context;
    return place && *place == at;
}

static int64_t match(char strand, int64_t at, int64_t to, int64_t other_to, const int64_t *other) {
    const gw_polya_place place = {
        .at = at, .to = to, .other_to = other_to, .strand = strand, .has = has, .context = other};
    return gw_polya_match(&place);
}

Test(polya_scorer, bases_beside_a_signal_hold_it_in_place) {
    for (int turned = 0; turned < 2; turned++) {
        const char strand = turned ? '-' : '+';
        cr_expect_eq(match(strand, -6, 0, 4, NULL), -6); // before an insertion
        cr_expect_eq(match(strand, -20, 3, 0, NULL), -20);
        cr_expect_eq(match(strand, 0, 0, 4, NULL), 4); // behind it
        cr_expect_eq(match(strand, 3, 3, 0, NULL), 0); // behind a deletion
        cr_expect_eq(match(strand, -2, 1, 1, NULL), -2);
    }
}

Test(polya_scorer, a_signal_of_the_other_allele_is_the_same_one) {
    const int64_t held = -3, moved = -4;
    cr_expect_eq(match('+', -3, 1, 0, &held), -3); // one of a run of As is deleted
    cr_expect_eq(match('+', -3, 1, 0, &moved), -4);
    cr_expect_eq(match('-', -3, 1, 0, &moved), -4);
    cr_expect_eq(match('-', -3, 1, 0, &held), -3);
}

Test(polya_scorer, without_one_the_bases_read_first_are_held) {
    cr_expect_eq(match('+', -3, 2, 0, NULL), -3); // its first bases lie before the variant
    cr_expect_eq(match('-', -3, 2, 0, NULL), -5); // its first base read lies behind it
    cr_expect_eq(match('+', 1, 8, 0, NULL), 0);   // inserted: behind the last base of the other
    cr_expect_eq(match('+', 1, 8, 5, NULL), 1);
    cr_expect_eq(match('+', 2, 8, 1, NULL), 1);
    cr_expect_eq(match('-', 1, 8, 0, NULL), -6); // read from the other end: one changed base comes before it
    cr_expect_eq(match('-', 1, 8, 8, NULL), 1);
}

Test(polya_scorer, strands_mirror_each_other) {
    for (int64_t to = 0; to < 9; to++)
        for (int64_t other_to = 0; other_to < 9; other_to++)
            for (int64_t at = -8; at < 12; at++) {
                const int64_t mirrored = to - at - 6;
                const int64_t back = other_to - match('-', mirrored, to, other_to, NULL) - 6;
                cr_expect_eq(match('+', at, to, other_to, NULL), back);
            }
}
