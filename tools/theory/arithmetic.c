// SPDX-License-Identifier: MIT
// Exact rationals through GMP; f64 and f32 from one macro.
#include "tools/theory/turing_decoder.h"

#include "base/memory.h"

#include <gmp.h>
#include <stdlib.h>

static void exact_init(void *x) {
    mpq_init(*(mpq_t *)x);
}

static void exact_clear(void *x) {
    mpq_clear(*(mpq_t *)x);
}

static void exact_set(void *x, long numerator, long denominator) {
    mpq_set_si(*(mpq_t *)x, numerator, (unsigned long)denominator);
    mpq_canonicalize(*(mpq_t *)x);
}

static void exact_copy(void *to, const void *from) {
    mpq_set(*(mpq_t *)to, *(const mpq_t *)from);
}

static void exact_add_scaled(void *sum, long numerator, long denominator, const void *x) {
    if (mpq_sgn(*(const mpq_t *)x) == 0) return;
    mpq_t scaled;
    mpq_init(scaled);
    exact_set(&scaled, numerator, denominator);
    mpq_mul(scaled, scaled, *(const mpq_t *)x);
    mpq_add(*(mpq_t *)sum, *(mpq_t *)sum, scaled);
    mpq_clear(scaled);
}

static void exact_multiply(void *out, const void *a, const void *b) {
    mpq_mul(*(mpq_t *)out, *(const mpq_t *)a, *(const mpq_t *)b);
}

static int exact_compare(const void *a, const void *b) {
    return mpq_cmp(*(const mpq_t *)a, *(const mpq_t *)b);
}

static double exact_value(const void *x) {
    return mpq_get_d(*(const mpq_t *)x);
}

const gw_arithmetic gw_exact_arithmetic = {
    "exact",    sizeof(mpq_t),    exact_init,     exact_clear,   exact_set,
    exact_copy, exact_add_scaled, exact_multiply, exact_compare, exact_value,
};

// Every operation rounds once, as the type does.
#define FLOATS(name, type)                                                                                             \
    static void name##_nothing(void *x) {                                                                              \
        (void)x;                                                                                                       \
    }                                                                                                                  \
    static void name##_set(void *x, long numerator, long denominator) {                                                \
        *(type *)x = (type)numerator / (type)denominator;                                                              \
    }                                                                                                                  \
    static void name##_copy(void *to, const void *from) {                                                              \
        *(type *)to = *(const type *)from;                                                                             \
    }                                                                                                                  \
    static void name##_add_scaled(void *sum, long numerator, long denominator, const void *x) {                        \
        *(type *)sum += (type)numerator / (type)denominator * *(const type *)x;                                        \
    }                                                                                                                  \
    static void name##_multiply(void *out, const void *a, const void *b) {                                             \
        *(type *)out = *(const type *)a * *(const type *)b;                                                            \
    }                                                                                                                  \
    static int name##_compare(const void *a, const void *b) {                                                          \
        const type x = *(const type *)a, y = *(const type *)b;                                                         \
        return (x > y) - (x < y);                                                                                      \
    }                                                                                                                  \
    static double name##_value(const void *x) {                                                                        \
        return (double)*(const type *)x;                                                                               \
    }                                                                                                                  \
    const gw_arithmetic gw_##name##_arithmetic = {                                                                     \
        #name,       sizeof(type),      name##_nothing,  name##_nothing, name##_set,                                   \
        name##_copy, name##_add_scaled, name##_multiply, name##_compare, name##_value,                                 \
    }

FLOATS(f64, double);
FLOATS(f32, float);

void *gw_numbers_new(const gw_arithmetic *a, int64_t count) {
    void *numbers = gw_alloc(count, (int64_t)a->size);
    for (int64_t i = 0; numbers && i < count; i++) a->init(gw_number(a, numbers, i));
    return numbers;
}

void gw_numbers_free(const gw_arithmetic *a, void *numbers, int64_t count) {
    for (int64_t i = 0; numbers && i < count; i++) a->clear(gw_number(a, numbers, i));
    free(numbers);
}
