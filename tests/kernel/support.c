// SPDX-License-Identifier: MIT
// Guarded arrays, comparisons, digests and central differences for the kernel tests.
#include "tests/kernel/support.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, MOST_BLOCKS = 4096, FEW = 64 };
static const float SENTINEL = -123456.789f;

static void *owned[MOST_BLOCKS];
static int owned_count;
static gw_random source;
static uint64_t digest;

static void *host_memory(int64_t bytes) {
    return calloc(1, (size_t)bytes);
}

static test_memory memory_of_host = {host_memory, free, NULL}, *source_of_memory = &memory_of_host;

void test_use_memory(test_memory *memory) {
    cr_assert_eq(owned_count, 0);
    source_of_memory = memory ? memory : &memory_of_host;
}

void *test_alloc(int64_t count, int64_t size) {
    cr_assert(owned_count < MOST_BLOCKS);
    void *memory = source_of_memory->allocate(count > 0 ? count * size : size);
    cr_assert_not_null(memory);
    return owned[owned_count++] = memory;
}

void *test_copy(const void *from, int64_t count, int64_t size) {
    return memcpy(test_alloc(count, size), from, (size_t)(count * size));
}

void test_release(void) {
    while (owned_count > 0) source_of_memory->release(owned[--owned_count]);
}

void test_draw_again(void) {
    source = gw_random_at(7, GW_SITE_TEST, 0, 0);
}

void test_restart(void) {
    test_draw_again();
    digest = 14695981039346656037u;
}

uint64_t test_digest(void) {
    return digest;
}

double test_uniform(void) {
    return gw_random_uniform(&source);
}

void test_round_to_bf16(test_array array) {
    for (int64_t i = 0; i < array.count; i++) {
        uint32_t bits;
        float value = (float)array.wide[i];
        memcpy(&bits, &value, sizeof bits);
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
        memcpy(&value, &bits, sizeof bits);
        array.wide[i] = (double)value;
    }
}

int32_t *test_indices(int64_t count, int32_t limit) {
    int32_t *indices = test_alloc(count, sizeof *indices);
    for (int64_t i = 0; i < count; i++) indices[i] = (int32_t)gw_random_below(&source, (uint64_t)limit);
    return indices;
}

static void forbid(const float *memory, int64_t count) {
    if (source_of_memory->forbid) source_of_memory->forbid(memory, count * (int64_t)sizeof *memory);
}

test_array test_filled(int64_t count, double value) {
    float *memory = test_alloc(count + 2 * GUARD, sizeof *memory);
    test_array array = {.value = memory + GUARD, .wide = test_alloc(count, sizeof(double)), .count = count};
    for (int64_t i = 0; i < count + 2 * GUARD; i++) memory[i] = SENTINEL;
    for (int64_t i = 0; i < count; i++) array.wide[i] = array.value[i] = (float)value;
    forbid(memory, GUARD);
    forbid(memory + GUARD + count, GUARD);
    return array;
}

test_array test_zeros(int64_t count) {
    return test_filled(count, 0.0);
}

static double size_of(test_array array) {
    double squares = 0.0;
    for (int64_t i = 0; i < array.count; i++)
        if (isfinite(array.wide[i])) squares += array.wide[i] * array.wide[i];
    return sqrt(squares);
}

test_array test_normal(int64_t count, double scale) {
    test_array array = test_zeros(count);
    for (int64_t i = 0; i < count; i++) array.wide[i] = array.value[i] = (float)scale * gw_random_normal(&source);
    return array;
}

static void assert_guards(const char *what, test_array array) {
    for (int64_t i = 1; i <= GUARD; i++) {
        cr_assert(array.value[-i] == SENTINEL, "%s: written %d before its begin", what, (int)i);
        cr_assert(array.value[array.count - 1 + i] == SENTINEL, "%s: written %d behind its end", what, (int)i);
    }
}

static void add_to_digest(test_array array) {
    const unsigned char *bytes = (const unsigned char *)array.value;
    for (size_t i = 0; i < (size_t)array.count * sizeof(float); i++) digest = (digest ^ bytes[i]) * 1099511628211u;
}

void test_compare(const char *what, test_array array, double limit) {
    double difference = 0.0;
    for (int64_t i = 0; i < array.count; i++) {
        const double got = array.value[i], want = array.wide[i];
        if (!isfinite(want) || !isfinite(got)) {
            cr_assert(isnan(want) ? isnan(got) : got == want, "%s[%d]: %g, not %g", what, (int)i, got, want);
            continue;
        }
        difference += (got - want) * (got - want);
    }
    const double allowed = (array.count < FEW ? 4.0 : 1.0) * limit, error = sqrt(difference);
    const double size = fmax(array.size, size_of(array));
    cr_assert(error <= allowed * size, "%s: error %.3g, limit %.3g", what, error / size, allowed);
    if (getenv("GW_TEST_ERRORS")) fprintf(stderr, "%-24s error %.3g limit %.3g\n", what, error / size, allowed);
    assert_guards(what, array);
    add_to_digest(array);
}

void test_unchanged(const char *what, test_array array) {
    for (int64_t i = 0; i < array.count; i++) {
        const bool same = isnan(array.wide[i]) ? isnan(array.value[i]) : (double)array.value[i] == array.wide[i];
        cr_assert(same, "%s[%d] was overwritten", what, (int)i);
    }
    assert_guards(what, array);
}

void test_central_differences(const char *what, double (*loss)(const void *context), const void *context, double *x,
                              const double *gradient, int64_t count) {
    const double step = 1e-5;
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(gradient[i]));
    cr_assert(largest > 0.0, "%s: no gradient", what);
    for (int64_t i = 0; i < count; i++) {
        const double kept = x[i];
        x[i] = kept + step;
        const double above = loss(context);
        x[i] = kept - step;
        const double below = loss(context);
        x[i] = kept;
        const double slope = (above - below) / (2.0 * step);
        cr_assert(fabs(slope - gradient[i]) <= 1e-6 * fmax(largest, 1.0), "%s[%d]: gradient %.9g, slope %.9g", what,
                  (int)i, gradient[i], slope);
    }
}
