// SPDX-License-Identifier: MIT
// Arrays of exact rationals. GMP ends the process where memory runs out.
#ifndef GW_THEORY_EXACT_H
#define GW_THEORY_EXACT_H

#include "base/status.h"

#include <gmp.h>
#include <stdint.h>

// `count` zeros, freed with gw_exact_free(); NULL with a message.
mpq_t *gw_exact_new(int64_t count);
void gw_exact_free(mpq_t *numbers, int64_t count); // NULL: nothing

void gw_exact_power(mpq_t out, unsigned long base, unsigned long exponent); // base^exponent
void gw_exact_add_product(mpq_t sum, const mpq_t a, const mpq_t b);         // sum += a b
void gw_exact_floor(mpz_t out, const mpq_t number);

#endif
