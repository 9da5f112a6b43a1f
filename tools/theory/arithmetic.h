// SPDX-License-Identifier: MIT
// The arithmetic that a network of small rational weights is run in: exact rationals, f64 or f32.
#ifndef GW_THEORY_ARITHMETIC_H
#define GW_THEORY_ARITHMETIC_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;
    size_t size; // bytes of a number
    void (*init)(void *x);
    void (*clear)(void *x);
    void (*set)(void *x, long numerator, long denominator);
    void (*copy)(void *to, const void *from);
    void (*add_scaled)(void *sum, long numerator, long denominator, const void *x); // sum += numerator / denominator x
    void (*multiply)(void *out, const void *a, const void *b);
    int (*compare)(const void *a, const void *b); // sign of a - b
    double (*value)(const void *x);
} gw_arithmetic;

extern const gw_arithmetic gw_exact_arithmetic, gw_f64_arithmetic, gw_f32_arithmetic;

// `count` numbers, all 0; NULL with a message. gw_numbers_free() frees them; NULL: nothing.
void *gw_numbers_new(const gw_arithmetic *a, int64_t count);
void gw_numbers_free(const gw_arithmetic *a, void *numbers, int64_t count);

static inline void *gw_number(const gw_arithmetic *a, void *numbers, int64_t i) {
    return (char *)numbers + (size_t)i * a->size;
}

#endif
