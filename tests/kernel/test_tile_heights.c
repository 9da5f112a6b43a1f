// SPDX-License-Identifier: MIT
// Heights of tiles that give a row other bits are found out, wherever it lies and however little the sums differ.
#include "kernels/cpu/matmul/tile_heights.h"

#include <criterion/criterion.h>
#include <string.h>

enum { COLUMNS = 33, K = 70, STRIDE = 40, HEIGHTS = 3 };
static const int64_t ROWS[HEIGHTS] = {64, 48, 16};

// Rows [first, last) of tiles of one height (-1: of all) are summed from the end, or the last two terms change places.
typedef struct {
    gw_precision precision;
    int64_t columns;
    bool last_two;
    int height;
    int64_t first, last;
    float weight[K * COLUMNS];
} trial_case;

static float number(const trial_case *c, const void *a, int64_t i) {
    if (c->precision == GW_F32) return ((const float *)a)[i];
    const uint32_t bits = (uint32_t)((const uint16_t *)a)[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The term that is added as number d where the order is another.
static int64_t other_order(const trial_case *c, int64_t d) {
    return !c->last_two ? K - 1 - d : d < K - 2 ? d : 2 * K - 3 - d;
}

static int multiply(void *context, int height, const void *a, float *out) {
    const trial_case *c = context;
    for (int64_t row = 0; row < ROWS[height]; row++) {
        const bool other = (c->height == height || c->height < 0) && row >= c->first && row < c->last;
        for (int64_t column = 0; column < c->columns; column++) {
            float sum = 0.0f;
            for (int64_t d = 0; d < K; d++) {
                const int64_t at = other ? other_order(c, d) : d;
                sum += number(c, a, row * K + at) * c->weight[at * c->columns + column];
            }
            out[row * STRIDE + column] = sum;
        }
    }
    return 0;
}

static int heights_of_case(trial_case *c) {
    gw_tile_random(1, c->weight, K * c->columns);
    const gw_tile_trial trial = {HEIGHTS, ROWS, c->columns, K, STRIDE, c->precision, multiply, c};
    int same = -1;
    cr_assert(gw_tile_heights_try(&trial, &same) == GW_OK, "%s", gw_message());
    return same;
}

static int heights_of(gw_precision precision, int height, int64_t first, int64_t last) {
    static trial_case c;
    c = (trial_case){.precision = precision, .columns = COLUMNS, .height = height, .first = first, .last = last};
    return heights_of_case(&c);
}

// Of few numbers many round alike in any order.
Test(tile_heights, of_narrow_products_that_differ_at_one_place_are_refused) {
    static trial_case c;
    for (int64_t place = 0; place < ROWS[1]; place++) {
        c = (trial_case){.columns = 1, .last_two = true, .height = 1, .first = place, .last = place + 1};
        cr_expect_eq(heights_of_case(&c), 1, "row %d", (int)place);
    }
}

Test(tile_heights, that_differ_are_refused) {
    for (gw_precision precision = GW_F32; precision <= GW_BF16; precision++) {
        cr_expect_eq(heights_of(precision, 0, 0, 0), HEIGHTS);   // all agree
        cr_expect_eq(heights_of(precision, 1, 0, 48), 1);        // one height, all rows
        cr_expect_eq(heights_of(precision, 2, 0, 1), 2);         // the lowest's first row
        cr_expect_eq(heights_of(precision, 2, 15, 16), 2);       // its last
        cr_expect_eq(heights_of(precision, 1, 16, 32), 1);       // a block of rows
        cr_expect_eq(heights_of(precision, 0, 63, 64), 0);       // one place of the tallest
        cr_expect_eq(heights_of(precision, 0, 32, 64), 0);       // half of it
        cr_expect_eq(heights_of(precision, -1, 0, 64), HEIGHTS); // another order, but everywhere the same
    }
}

static int fails(void *context, int height, const void *a, float *out) {
    (void)context, (void)a, (void)out;
    return height == 1;
}

Test(tile_heights, a_product_that_fails_is_an_error) {
    const gw_tile_trial trial = {HEIGHTS, ROWS, COLUMNS, K, STRIDE, GW_F32, fails, NULL};
    int same;
    cr_assert(gw_tile_heights_try(&trial, &same) == GW_ERR_UNSUPPORTED);
}

Test(tile_heights, random_numbers_have_all_bits_of_both_types) {
    enum { COUNT = 1000 };
    float value[COUNT];
    uint32_t ones = 0, zeros = 0;
    gw_tile_random(1, value, COUNT);
    for (int i = 0; i < COUNT; i++) {
        uint32_t bits;
        memcpy(&bits, value + i, sizeof bits);
        ones |= bits, zeros |= ~bits;
        cr_assert(value[i] > -16.0f && value[i] < 16.0f);
    }
    cr_assert_eq(ones & zeros & 0x807fffff, 0x807fffff);
}
