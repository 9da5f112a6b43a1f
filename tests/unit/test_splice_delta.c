// SPDX-License-Identifier: MIT
// Rows of ALT against rows of REF by their definition, row by row, and as SpliceAI writes it for alleles of which one
// is a single base.
#include "base/random.h"
#include "score/splice_scorer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { DISTANCE = 6, LONGEST = 9, MOST = (2 * DISTANCE + 1 + LONGEST + 4) * GW_SPLICE_CLASSES };

static float ref[MOST], alt[MOST], aligned[MOST];

static gw_splice_rows draw(int64_t r, int64_t a, int64_t rows, uint64_t which) {
    gw_random random = gw_random_at(11, GW_SITE_TEST, which, 0);
    for (int i = 0; i < MOST; i++) {
        ref[i] = (float)gw_random_uniform(&random);
        alt[i] = (float)gw_random_uniform(&random);
        aligned[i] = -1;
    }
    return (gw_splice_rows){DISTANCE, r, a, GW_SPLICE_CLASSES, ref, alt, rows};
}

// The definition: what stands against REF's row `row`.
static float expected(const gw_splice_rows *of, int64_t row, int class) {
    const int64_t r = of->ref_length, a = of->alt_length, in = row - of->distance, both = r < a ? r : a;
    if (in < 0 || in < both - (a > r)) return of->alt[row * GW_SPLICE_CLASSES + class];
    if (in < r && a <= r) return 0;
    if (in >= r) return of->alt[(row - r + a) * GW_SPLICE_CLASSES + class];
    float most = -1;
    for (int64_t i = in; i < a; i++) most = fmaxf(most, of->alt[(of->distance + i) * GW_SPLICE_CLASSES + class]);
    return most;
}

Test(splice_delta, rows_are_laid_as_defined) {
    for (int64_t r = 1; r <= LONGEST; r++)
        for (int64_t a = 1; a <= LONGEST; a++) {
            const int64_t rows = 2 * DISTANCE + (r > DISTANCE + 1 ? r : 1);
            const gw_splice_rows of = draw(r, a, rows, (uint64_t)(r * 16 + a));
            gw_splice_align(&of, aligned);
            for (int64_t i = 0; i < rows * GW_SPLICE_CLASSES; i++)
                cr_assert_eq(aligned[i], expected(&of, i / GW_SPLICE_CLASSES, (int)(i % GW_SPLICE_CLASSES)),
                             "%d bases become %d: value %d", (int)r, (int)a, (int)i);
        }
}

// y_alt[: D + 1], r - 1 rows of zeros, y_alt[D + 1 :], of as many rows as there are.
Test(splice_delta, deletions_are_as_spliceai_has_them) {
    for (int64_t r = 1; r <= 2 * DISTANCE; r++) {
        const int64_t rows = 2 * DISTANCE + 1, left = rows - r + 1;
        const gw_splice_rows of = draw(r, 1, rows, (uint64_t)r);
        gw_splice_align(&of, aligned);
        const int64_t before = left < DISTANCE + 1 ? left : DISTANCE + 1;
        for (int64_t i = 0; i < rows; i++) {
            const float found = aligned[i * GW_SPLICE_CLASSES + 1];
            const bool gone = i >= before && i < before + r - 1;
            const int64_t from = i < before ? i : i - r + 1;
            cr_assert_eq(found, gone ? 0 : alt[from * GW_SPLICE_CLASSES + 1], "%d deleted: row %d", (int)r, (int)i);
        }
    }
}

// y_alt[: D], the largest of y_alt[D : D + a], y_alt[D + a :].
Test(splice_delta, insertions_are_as_spliceai_has_them) {
    for (int64_t a = 1; a <= LONGEST; a++) {
        const int64_t rows = 2 * DISTANCE + 1;
        const gw_splice_rows of = draw(1, a, rows, (uint64_t)(32 + a));
        gw_splice_align(&of, aligned);
        for (int64_t i = 0; i < rows * GW_SPLICE_CLASSES; i++) {
            float wanted = alt[i < DISTANCE * GW_SPLICE_CLASSES ? i : i + (a - 1) * GW_SPLICE_CLASSES];
            for (int64_t k = 0; i / GW_SPLICE_CLASSES == DISTANCE && k < a; k++)
                wanted = fmaxf(wanted, alt[i + k * GW_SPLICE_CLASSES]);
            cr_assert_eq(aligned[i], wanted, "%d bases put in: value %d", (int)a - 1, (int)i);
        }
    }
}

Test(splice_delta, the_largest_changes_and_the_first_places_of_them) {
    float values[GW_SPLICE_VALUES];
    const gw_splice_rows of = {1, 1, 1, GW_SPLICE_CLASSES, ref, alt, 3};
    memset(ref, 0, sizeof ref);
    memset(alt, 0, sizeof alt);
    alt[1] = alt[7] = 0.5F, alt[5] = 0.25F; // acceptors of the first and last row, donor of the middle
    ref[4] = 0.75F, ref[8] = 0.125F;
    gw_splice_align(&of, aligned);
    gw_splice_delta(&of, aligned, values);
    const float expected_values[GW_SPLICE_VALUES] = {0.5F, 0.75F, 0.25F, 0.125F, -1,   0, 0,     1,
                                                     0,    0.75F, 0,     0.125F, 0.5F, 0, 0.25F, 0};
    cr_expect_arr_eq(values, expected_values, sizeof values);
    gw_splice_mask(0, values); // the boundary is at POS: the donor's gain there goes, and losses elsewhere
    cr_expect_eq(values[0], 0.5F);
    cr_expect_eq(values[1], 0.75F);
    cr_expect_eq(values[2], 0);
    cr_expect_eq(values[3], 0);
}
