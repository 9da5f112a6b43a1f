// SPDX-License-Identifier: MIT
// Arrays and small helpers around GMP.
#include "tools/theory/context_proof.h"

#include "base/memory.h"

#include <stdlib.h>

mpq_t *gw_exact_new(int64_t count) {
    mpq_t *numbers = gw_alloc(count, sizeof *numbers);
    for (int64_t i = 0; numbers && i < count; i++) mpq_init(numbers[i]);
    return numbers;
}

void gw_exact_free(mpq_t *numbers, int64_t count) {
    for (int64_t i = 0; numbers && i < count; i++) mpq_clear(numbers[i]);
    free(numbers);
}

void gw_exact_power(mpq_t out, unsigned long base, unsigned long exponent) {
    mpz_ui_pow_ui(mpq_numref(out), base, exponent);
    mpz_set_ui(mpq_denref(out), 1);
}

void gw_exact_add_product(mpq_t sum, const mpq_t a, const mpq_t b) {
    mpq_t product;
    mpq_init(product);
    mpq_mul(product, a, b);
    mpq_add(sum, sum, product);
    mpq_clear(product);
}

void gw_exact_floor(mpz_t out, const mpq_t number) {
    mpz_fdiv_q(out, mpq_numref(number), mpq_denref(number));
}
