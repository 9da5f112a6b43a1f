// SPDX-License-Identifier: MIT
// attention over every kind of graph, against dense attention in double; and the AMX tiles beside the vectors.
#include "tests/kernel/attention_cases.h"
#include "tests/kernel/emulated.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers: 5.5e-7 where scores rise from block to
// block, as the exponents of large numbers carry their rounding, 3.8e-7 and less elsewhere.
static const double OUT_LIMIT = 6e-7, RISING_OUT_LIMIT = 1.1e-6, LOG_SUM_LIMIT = 1e-7;

static double out_limit(const attention_case *shape, bool bf16) {
    if (bf16) return ATTENTION_BF16_LIMIT;
    return shape->rising ? RISING_OUT_LIMIT : OUT_LIMIT;
}

static void check_forward(const gw_backend *backend, const attention_case *shape, bool bf16) {
    attention_test t;
    attention_begin(&t, shape, bf16 ? GW_BF16 : GW_F32);
    attention_give_scratch(&t, backend, GW_OP_attention);
    attention_want_forward(&t);
    cr_assert(backend->attention(&t.args) == GW_OK);
    test_compare("out", t.out, out_limit(shape, bf16));
    test_compare("log_sum", t.log_sum, bf16 ? ATTENTION_BF16_LIMIT : LOG_SUM_LIMIT);
    attention_end(&t);
    test_release();
}

void check_attention(const gw_backend *backend) {
    for (int c = 0; c < ATTENTION_CASE_COUNT; c++) {
        check_forward(backend, &ATTENTION_CASES[c], false);
        if (gw_has_bf16()) check_forward(backend, &ATTENTION_CASES[c], true);
    }
}

// Each query by itself, a sequence of one that reads its part of the graph, gives what it gives among the others.
static void check_single_queries(const gw_backend *backend, const attention_case *shape, bool bf16) {
    enum { MOST = 1024, HEADS = 4 };
    static gw_attention_sequence one[MOST];
    static gw_graph graph[MOST][HEADS];
    static const gw_graph *graph_of[MOST][HEADS];
    attention_test t;
    attention_begin(&t, shape, bf16 ? GW_BF16 : GW_F32);
    attention_want_forward(&t);
    int count = 0;
    for (int s = 0; s < t.args.sequences; s++) {
        const gw_attention_sequence *all = &t.sequence[s];
        for (int64_t i = 0; i < all->query_count; i++, count++) {
            cr_assert(count < MOST && shape->heads <= HEADS);
            one[count] = *all;
            one[count].query_begin += i;
            one[count].query_count = 1;
            one[count].graphs = graph_of[count];
            for (int h = 0; h <= (shape->heads - 1) * all->graph_step; h++) {
                graph[count][h] = gw_graph_of_query(all->graphs[h], i);
                graph_of[count][h] = &graph[count][h];
            }
        }
    }
    t.args.sequences = count;
    t.args.sequence = one;
    attention_give_scratch(&t, backend, GW_OP_attention);
    cr_assert(backend->attention(&t.args) == GW_OK);
    test_compare("out", t.out, out_limit(shape, bf16));
    test_compare("log_sum", t.log_sum, bf16 ? ATTENTION_BF16_LIMIT : LOG_SUM_LIMIT);
    attention_end(&t);
    test_release();
}

static void check_queries(const gw_backend *backend, int c) {
    check_single_queries(backend, &ATTENTION_CASES[c], false);
    if (gw_has_bf16()) check_single_queries(backend, &ATTENTION_CASES[c], true);
}

Test(kernel, attention_of_single_queries) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < ATTENTION_CASE_COUNT && backends[i]->supported(); c++) check_queries(backends[i], c);
}

// Small ones of every kind of graph, and one for tensor cores.
static void check_few(const gw_backend *backend) {
    static const int FEW[] = {0, 3, 4, 7, 8, 9, 10, 11};
    for (size_t c = 0; c < sizeof FEW / sizeof FEW[0]; c++) {
        check_forward(backend, &ATTENTION_CASES[FEW[c]], false);
        check_forward(backend, &ATTENTION_CASES[FEW[c]], true);
    }
}

static void check_queries_of_bits(const gw_backend *backend) {
    check_queries(backend, 9);
}

Test(cuda, attention_of_single_queries) {
    test_emulated(check_queries_of_bits, GW_OP_attention, TEST_ORDERS);
}

Test(cuda, attention_in_any_order) {
    test_emulated(check_few, GW_OP_attention, TEST_ORDERS);
}

// All of their products are on tensor cores, two each: none is left to plain kernels. Tiles with most of them come
// first.
static void check_tensor_cores(const gw_backend *backend) {
    const long late = test_late_blocks();
    for (int c = 0; c < TENSOR_CASE_COUNT; c++) {
        const long before = test_tensor_products();
        check_forward(backend, &TENSOR_CASES[c], true);
        const long wanted = 2 * attention_products(&TENSOR_CASES[c], 64, false);
        if (before >= 0) cr_assert_eq(test_tensor_products() - before, wanted, "case %d", c);
        cr_assert_eq(test_late_blocks(), late, "late blocks of case %d", c);
    }
}

// Kernels for tensor cores take scales above 0 alone; others are not left out.
static void check_scales(const gw_backend *backend) {
    static const float SCALES[] = {0.0f, -0.3f};
    for (int i = 0; i < 2; i++) {
        attention_test t;
        attention_begin(&t, &TENSOR_CASES[1], GW_BF16);
        t.args.scale = SCALES[i];
        attention_give_scratch(&t, backend, GW_OP_attention);
        attention_want_forward(&t);
        cr_assert(backend->attention(&t.args) == GW_OK);
        test_compare("out", t.out, ATTENTION_BF16_LIMIT);
        attention_end(&t);
        test_release();
    }
}

Test(cuda, attention_of_any_scale) {
    test_emulated(check_scales, GW_OP_attention, 1);
}

Test(cuda, attention_on_tensor_cores) {
    test_emulated(check_tensor_cores, GW_OP_attention, TEST_ORDERS);
}

// Values of a sequence that are infinite are not another's, though a tile holds both.
static void check_neighbours(const gw_backend *backend, const attention_case *shape) {
    attention_test t;
    attention_begin(&t, shape, GW_BF16);
    const gw_attention_sequence *first = &t.sequence[0], *second = &t.sequence[1];
    for (int64_t j = 0; j < second->key_count; j++)
        t.value.value[(second->key_begin + j) * t.args.value_stride] = INFINITY;
    attention_give_scratch(&t, backend, GW_OP_attention);
    cr_assert(backend->attention(&t.args) == GW_OK);
    for (int64_t i = 0; i < first->query_count; i++)
        for (int64_t d = 0; d < t.width; d++)
            cr_assert(isfinite(t.out.value[(first->query_begin + i) * t.args.out_stride + d]), "query %lld",
                      (long long)i);
    attention_end(&t);
    test_release();
}

// On Hopper's warpgroups where blocks are of whole tiles of 64; on a GPU where it is asked for.
static bool asked_for_warpgroups;
static void check_warpgroups(const gw_backend *backend) {
    if (test_on_gpu() && !asked_for_warpgroups) cr_skip_test("on a GPU with GODWIT_WGMMA=1 alone");
    cr_assert_eq(setenv("GODWIT_WGMMA", "1", 1), 0);
    for (int c = 0; c < TENSOR_CASE_COUNT; c++) {
        if (TENSOR_CASES[c].block % 64 != 0) continue;
        const long before = test_warpgroup_products(), late = test_late_blocks();
        check_forward(backend, &TENSOR_CASES[c], true);
        if (before >= 0) cr_assert_gt(test_warpgroup_products(), before, "case %d", c);
        cr_assert_eq(test_late_blocks(), late, "late blocks of case %d", c);
    }
    check_neighbours(backend, &TENSOR_CASES[1]);
}

static void check_neighbours_of_warps(const gw_backend *backend) {
    check_neighbours(backend, &TENSOR_CASES[1]);
}

Test(cuda, attention_beside_infinity) {
    test_emulated(check_neighbours_of_warps, GW_OP_attention, 1);
}

Test(cuda, attention_on_warpgroups) {
    asked_for_warpgroups = getenv("GODWIT_WGMMA");
    test_emulated(check_warpgroups, GW_OP_attention, TEST_ORDERS);
}

Test(kernel, attention_of_whole_tiles) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < TENSOR_CASE_COUNT && backends[i]->supported(); c++)
            check_forward(backends[i], &TENSOR_CASES[c], false);
}

// One key is read most, and each of thousands of others so little that added to it alone it would be lost: the sum is
// 1 + (n - 1) e^z, e^z a quarter of the last place of 1. Sums by block are rounded 256 times, by half of that place
// each, 1.5e-5 at most; adding key by key loses all 5e-4.
static void check_small_terms(const gw_backend *backend) {
    enum { KEYS = 16384, SIZE = 16 };
    static const attention_case shape = {64, 1, SIZE, {64, 1, 1}, {KEYS, 1, 1}, .kind = TEST_FULL};
    const float z = -17.3f;
    attention_test t;
    attention_begin(&t, &shape, GW_F32);
    for (int64_t d = 0; d < SIZE; d++) {
        for (int64_t i = 0; i < 64; i++) t.query.value[i * t.args.query_stride + d] = d == 0 ? 4.0f : 0.0f;
        for (int64_t j = 0; j < KEYS; j++) t.key.value[j * t.args.key_stride + d] = d == 0 && j > 0 ? z : 0.0f;
    }
    attention_give_scratch(&t, backend, GW_OP_attention);
    cr_assert(backend->attention(&t.args) == GW_OK);
    const double wanted = log1p((KEYS - 1) * exp((double)z)); // 5e-4
    for (int64_t i = 0; i < 64; i++)
        cr_assert(fabs((double)t.log_sum.value[i] - wanted) < 3e-5, "%s: query %lld has %g, not %g", backend->name,
                  (long long)i, (double)t.log_sum.value[i], wanted);
    attention_end(&t);
    test_release();
}

Test(kernel, attention_of_many_small_terms) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++)
        if (backends[i]->supported()) check_small_terms(backends[i]);
}

static const gw_backend *find_backend(const char *name) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(backends[i]->name, name) == 0 && backends[i]->supported()) return backends[i];
    return NULL;
}

// Forward and backward from the first random numbers on.
static void run_bf16(attention_test *t, const gw_backend *backend, const attention_case *shape) {
    test_restart();
    attention_begin(t, shape, GW_BF16);
    attention_give_scratch(t, backend, GW_OP_attention);
    cr_assert(backend->attention(&t->args) == GW_OK);
    attention_give_scratch(t, backend, GW_OP_attention_backward);
    cr_assert(backend->attention_backward(&t->args) == GW_OK);
}

static void compare_backends(const gw_backend *wanted, const gw_backend *tried, const attention_case *shape) {
    attention_test want, got;
    run_bf16(&want, wanted, shape);
    run_bf16(&got, tried, shape);
    const test_array wants[] = {want.out, want.log_sum, want.dquery, want.dkey, want.dvalue},
                     gots[] = {got.out, got.log_sum, got.dquery, got.dkey, got.dvalue};
    for (size_t r = 0; r < sizeof gots / sizeof gots[0]; r++) {
        for (int64_t i = 0; i < gots[r].count; i++) gots[r].wide[i] = wants[r].value[i];
        test_compare("tiles beside vectors", gots[r], ATTENTION_BF16_LIMIT);
    }
    attention_end(&want);
    attention_end(&got);
    test_release();
}

Test(kernel, attention_in_tiles_and_in_vectors) {
    const gw_backend *tiles = find_backend("amx"), *vectors = find_backend("avx512");
    if (!tiles) cr_skip_test("no tiles here");
    for (int c = 0; c < ATTENTION_CASE_COUNT; c++) compare_backends(vectors, tiles, &ATTENTION_CASES[c]);
}
