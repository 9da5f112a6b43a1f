// SPDX-License-Identifier: MIT
// Cones against marks that are carried from row to row.
#include "score/splice_cone.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(splice_cone);

enum { ROWS = 80, LEVELS = 3 };
static const int64_t reaches[LEVELS] = {2, 5, 3};

static gw_splice_layers make_layers(void) {
    gw_splice_layers layers = {.count = LEVELS};
    for (int k = 0; k < LEVELS; k++) {
        layers.layer[k].reach = reaches[k];
        layers.reach[k + 1] = layers.reach[k] + reaches[k];
    }
    return layers;
}

// Rows of an allele of which one is marked within `reach`. Unmarked neighbours on both sides of a change that leaves no
// row of its own are no neighbours in REF: there the change is felt too.
static void spread(const bool *marks, const gw_splice_change *c, int64_t reach, bool *out) {
    for (int64_t row = 0; row < ROWS; row++) {
        out[row] = row < c->at + c->put && row + reach >= c->at + c->put && c->put == 0;
        out[row] |= row >= c->at && row - reach < c->at && c->put == 0;
        for (int64_t from = row - reach; from <= row + reach; from++)
            out[row] |= from >= 0 && from < ROWS && marks[from];
    }
}

static void expect_cones(const gw_splice_layers *layers, const gw_splice_change *c) {
    bool felt[LEVELS + 1][ROWS] = {0}, needed[LEVELS + 1][ROWS] = {0};
    for (int64_t row = c->at; row < c->at + c->put; row++) felt[0][row] = true;
    for (int k = 0; k < LEVELS; k++) spread(felt[k], c, reaches[k], felt[k + 1]);
    for (int64_t row = c->begin; row < c->end; row++) needed[LEVELS][row] = true;
    for (int k = LEVELS; k > 0; k--)
        for (int64_t row = 0; row < ROWS; row++)
            for (int64_t to = row - reaches[k - 1]; to <= row + reaches[k - 1]; to++)
                needed[k - 1][row] |= to >= 0 && to < ROWS && needed[k][to];
    const gw_splice_range all = gw_splice_all_cones(layers, c);
    for (int k = 0; k <= LEVELS; k++) {
        const gw_splice_range cone = gw_splice_cone(layers, c, k);
        for (int64_t row = 0; row < ROWS; row++) {
            const bool inside = row >= cone.begin && row < cone.end;
            cr_expect_eq(inside, felt[k][row] && needed[k][row], "level %d row %d, change at %d of %d for %d", k,
                         (int)row, (int)c->at, (int)c->put, (int)c->removed);
            cr_expect(!inside || (row >= all.begin && row < all.end));
        }
    }
}

Test(splice_cone, holds_the_rows_that_feel_the_change_and_are_needed) {
    const gw_splice_layers layers = make_layers();
    for (int64_t at = 25; at < 50; at++)
        for (int64_t put = 0; put < 6; put += 2)
            for (int64_t wide = 0; wide < 12; wide += 5) {
                const gw_splice_change change = {
                    .at = at, .removed = 2, .put = put, .begin = 38 - wide, .end = 39 + wide};
                expect_cones(&layers, &change);
            }
}

Test(splice_cone, changes_are_what_differs) {
    const char *ref = "ACGTACGTTT";
    gw_splice_change c = gw_splice_change_of(ref, 2, 6, "GTACGT", 6);
    cr_expect(c.put == 0 && c.removed == 0);
    c = gw_splice_change_of(ref, 2, 6, "GTCCGT", 6);
    cr_expect(c.at == 4 && c.put == 1 && c.removed == 1);
    c = gw_splice_change_of(ref, 0, 10, "ACGTACGTTTT", 11);
    cr_expect(c.at == 10 && c.put == 1 && c.removed == 0);
    c = gw_splice_change_of(ref, 0, 10, "ACGTACGTT", 9);
    cr_expect(c.at == 9 && c.put == 0 && c.removed == 1);
    cr_expect_eq(gw_splice_ref_row(&c, 8), 8);
    cr_expect_eq(gw_splice_ref_row(&c, 9), 10);
}
