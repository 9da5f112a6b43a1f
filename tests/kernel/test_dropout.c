// SPDX-License-Identifier: MIT
// dropout_add forward and backward; the words drawn are those of gw_philox.
#include "base/random.h"
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double LIMIT = 1.2e-7;

static const int64_t COUNTS[] = {1, 5, 32, 77, 20001};
static const float PROBABILITIES[] = {0.0f, 0.1f, 0.5f, 0.999f};
enum { COUNT_CASES = 5, PROBABILITY_CASES = 4, STEP = 77 };
static const uint32_t SITE = 0xabcd1234u;
static const uint64_t SEED = 0x0123456789abcdefu;
static const int64_t FIRST = 4 * (((int64_t)1 << 32) - 3); // the block counter passes 2^32 within a draw

static uint8_t *make_keep(int64_t count, float probability) {
    uint8_t *keep = test_alloc(count, 1);
    ref_dropout_keep(count, probability, SEED, STEP, SITE, FIRST, keep);
    return keep;
}

// Rows that lie apart, in any order, are drawn as the rows that they were.
static void check_rows(const gw_backend *backend, int64_t width, bool backward) {
    enum { ROWS = 5 };
    static const int32_t APART[ROWS] = {3, 0, 4, 11, 100000000};
    test_array data = test_normal(ROWS * width, 1.0);
    for (int64_t r = 0; r < ROWS; r++) {
        uint8_t *keep = test_alloc(width, 1);
        double *row = data.wide + r * width;
        ref_dropout_keep(width, 0.3, SEED, STEP, SITE, FIRST + APART[r] * width, keep);
        ref_dropout_add(width, 0.3f, keep, row, NULL, row);
    }
    gw_dropout_args args = {.count = ROWS * width,
                            .probability = 0.3f,
                            .seed = SEED,
                            .step = STEP,
                            .site = SITE,
                            .first_element = FIRST,
                            .row = test_copy(APART, ROWS, sizeof APART[0]),
                            .width = width};
    if (backward) args.out_gradient = args.in_gradient = data.value;
    else args.in = args.out = data.value;
    cr_assert((backward ? backend->dropout_add_backward : backend->dropout_add)(&args) == GW_OK);
    test_compare("rows", data, LIMIT);
}

static void check_widths(const gw_backend *backend, bool backward) {
    static const int64_t WIDTHS[] = {4, 32, 76, 20000};
    for (int c = 0; c < 4; c++) check_rows(backend, WIDTHS[c], backward);
}

static gw_dropout_args make_args(int64_t count, float probability) {
    return (gw_dropout_args){
        .count = count, .probability = probability, .seed = SEED, .step = STEP, .site = SITE, .first_element = FIRST};
}

// way 0: residual apart; 1: no residual; 2: out is in; 3: out is residual
static void check_forward(const gw_backend *backend, int64_t count, float probability, int way) {
    test_array in = test_normal(count, 1.0), residual = test_normal(count, 1.0);
    test_array out = way == 2 ? in : way == 3 ? residual : test_zeros(count);
    gw_dropout_args args = make_args(count, probability);
    args.in = in.value, args.out = out.value, args.residual = way == 1 ? NULL : residual.value;
    cr_assert(backend->dropout_add(&args) == GW_OK);
    ref_dropout_add(count, probability, make_keep(count, probability), in.wide, way == 1 ? NULL : residual.wide,
                    out.wide);
    test_compare("out", out, LIMIT);
    if (way != 2) test_unchanged("in", in);
    if (way != 3) test_unchanged("residual", residual);
}

void check_dropout_add(const gw_backend *backend) {
    for (int c = 0; c < COUNT_CASES; c++)
        for (int p = 0; p < PROBABILITY_CASES; p++)
            for (int way = 0; way < 4; way++) check_forward(backend, COUNTS[c], PROBABILITIES[p], way);
    check_widths(backend, false);
}

// way 0: both apart; 1: no residual; 2: residual_gradient is out_gradient; 3: in_gradient is out_gradient; 4: no in;
// 5: as 3 without residual
static void check_backward(const gw_backend *backend, int64_t count, float probability, int way, bool overwrites) {
    const uint8_t *keep = make_keep(count, probability);
    test_array dout = test_normal(count, 1.0), dresidual = test_normal(count, 1.0);
    const bool over = way == 3 || way == 5;
    test_array din = over ? dout : test_normal(count, 1.0);
    gw_dropout_args args = make_args(count, probability);
    args.out_gradient = dout.value;
    args.in_gradient = way == 4 ? NULL : din.value;
    args.residual_gradient = way == 1 || way == 5 ? NULL : way == 2 ? dout.value : dresidual.value;
    args.overwrites = overwrites;
    const bool has_residual = way == 0 || way == 3 || way == 4;
    if (overwrites && has_residual) memset(dresidual.wide, 0, (size_t)count * sizeof *dresidual.wide);
    double *want = test_alloc(count, sizeof *want);
    if (!over) memcpy(want, din.wide, (size_t)count * sizeof *want);
    ref_dropout_add_backward(count, probability, keep, dout.wide, way == 4 ? NULL : want,
                             has_residual ? dresidual.wide : NULL);
    memcpy(din.wide, want, (size_t)count * sizeof *want);
    cr_assert(backend->dropout_add_backward(&args) == GW_OK);
    test_compare("in_gradient", din, LIMIT);
    test_compare("residual_gradient", dresidual, LIMIT);
    if (!over) test_unchanged("out_gradient", dout);
}

void check_dropout_add_backward(const gw_backend *backend) {
    for (int c = 0; c < COUNT_CASES; c++)
        for (int p = 0; p < PROBABILITY_CASES; p++)
            for (int way = 0; way < 12; way++) check_backward(backend, COUNTS[c], PROBABILITIES[p], way / 2, way % 2);
    check_widths(backend, true);
}

// An element drawn by the reference's own Philox is one drawn by the base library's.
Test(reference, dropout_draws_are_those_of_philox) {
    enum { COUNT = 64 };
    uint8_t keep[COUNT];
    const uint32_t key[2] = {(uint32_t)SEED, (uint32_t)(SEED >> 32)};
    ref_dropout_keep(COUNT, 0.3, SEED, STEP, SITE, FIRST, keep);
    for (int i = 0; i < COUNT; i++) {
        const uint64_t block = (uint64_t)(FIRST + i) / 4;
        const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), SITE, STEP};
        uint32_t words[4];
        gw_philox(counter, key, words);
        cr_assert(keep[i] == ((double)words[(FIRST + i) % 4] >= 0.3 * 4294967296.0));
    }
}
