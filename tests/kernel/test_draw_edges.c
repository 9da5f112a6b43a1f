// SPDX-License-Identifier: MIT
// draw_edges: the bits of listed queries against probabilities in double precision and the words of their streams.
#include "base/random.h"
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

typedef struct {
    int64_t queries, keys;
    int clusters;
    int64_t every; // so many queries are listed
    double scale;  // of the memberships
} test_shape;
static const test_shape SHAPES[] = {{3, 5, 1, 1, 0.7},    {70, 64, 7, 1, 0.3},      {65, 200, 16, 2, 0.2},
                                    {130, 129, 33, 1, 1}, {200, 300, 128, 3, 0.05}, {9, 1, 1024, 1, 0.02}};
static const double EXPLORATION = 0.01, MOST = 1 - 1e-6;
static const uint64_t SEED = 0x123456789abcdef0u, FIRST = 0xfffffffcu; // queries beyond 2^32

static test_array memberships(int64_t rows, int64_t stride, double scale) {
    const test_array array = test_zeros(rows * stride);
    for (int64_t i = 0; i < array.count; i++) array.wide[i] = array.value[i] = (float)(scale * test_uniform());
    return array;
}

// What is drawn of a pair, 1 or 0; `found` where the word is too near to the probability to tell.
static double expected(double p, uint32_t word, double found) {
    const double at = word * 0x1p-32;
    return fabs(p - at) < 1e-6 ? found : at < p;
}

static void check_shape(const gw_backend *backend, const test_shape *s) {
    const int64_t stride = s->clusters + 3, words = (s->keys + 63) / 64,
                  listed = (s->queries + s->every - 1) / s->every;
    const test_array u = memberships(s->queries, stride, s->scale), z = memberships(s->keys, stride, s->scale),
                     drawn = test_zeros(listed * words * 64);
    gw_draw_edges_args args = {.listed = listed,
                               .keys = s->keys,
                               .query = test_alloc(listed, sizeof(int32_t)),
                               .clusters = s->clusters,
                               .product = u.value,
                               .key = z.value,
                               .stride = stride,
                               .exploration = (float)EXPLORATION,
                               .most = (float)MOST,
                               .seed = SEED,
                               .first_query = FIRST,
                               .site = GW_SITE_TEST,
                               .bits = test_alloc(listed * words, sizeof(uint64_t))};
    int32_t *query = (int32_t *)args.query;
    for (int64_t i = 0; i < listed; i++) query[i] = (int32_t)(i * s->every);
    u.value[query[listed - 1] * stride] = NAN;
    u.wide[query[listed - 1] * stride] = NAN;
    args.scratch = test_zeros(backend->scratch(GW_OP_draw_edges, &args)).value;
    cr_assert_eq(backend->draw_edges(&args), GW_OK);
    for (int64_t i = 0; i < listed; i++) {
        gw_random random = gw_random_at(SEED, GW_SITE_TEST, FIRST + (uint64_t)query[i], 0);
        for (int64_t j = 0; j < words * 64; j++) {
            const int64_t at = i * words * 64 + j;
            double p = EXPLORATION;
            drawn.value[at] = (float)(args.bits[i * words + j / 64] >> j % 64 & 1);
            for (int k = 0; k < s->clusters && j < s->keys; k++)
                p += u.wide[query[i] * stride + k] * z.wide[j * stride + k];
            drawn.wide[at] = j < s->keys ? expected(fmin(p, MOST), gw_random_u32(&random), (double)drawn.value[at]) : 0;
            if (isnan(p)) drawn.wide[at] = 0;
        }
    }
    test_compare("edges", drawn, 0);
    test_unchanged("queries' rows", u);
    test_unchanged("keys' rows", z);
}

void check_draw_edges(const gw_backend *backend) {
    for (size_t s = 0; s < sizeof SHAPES / sizeof SHAPES[0]; s++) {
        check_shape(backend, &SHAPES[s]);
        test_release();
    }
}
