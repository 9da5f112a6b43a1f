// SPDX-License-Identifier: MIT
// Markov chains: proper probabilities, what counts must say, repeats of the text, both strands.
#include "base/random.h"
#include "measure/markov.h"
#include "seq/genome/genome.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { LENGTH = 20000, ORDER = 6 };

// A text whose base is x(i - 3) + 1 modulo 4 in nine of ten cases.
static uint8_t *patterned(uint64_t seed) {
    uint8_t *code = malloc(LENGTH);
    gw_random random = gw_random_at(seed, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < LENGTH; i++)
        code[i] = i < 3 || gw_random_below(&random, 10) == 0 ? (uint8_t)gw_random_below(&random, 4)
                                                             : (uint8_t)((code[i - 3] + 1) % 4);
    return code;
}

static gw_markov *trained(const uint8_t *code, int copies) {
    gw_markov *markov;
    cr_assert_eq(gw_markov_new(ORDER, &markov), GW_OK);
    for (int i = 0; i < copies; i++) cr_assert_eq(gw_markov_add(markov, code, LENGTH), GW_OK);
    cr_assert_eq(gw_markov_fit(markov), GW_OK);
    return markov;
}

static double bits_per_base(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code) {
    double bits = 0;
    for (int i = 0; i < LENGTH; i++) bits += gw_markov_bits(markov, kind, code, LENGTH, i, i + 1);
    return bits / LENGTH;
}

Test(markov, probabilities_sum_to_one_and_ignore_the_base_itself) {
    uint8_t *code = patterned(1);
    code[5000] = 4;
    gw_markov *markov = trained(code, 1);
    const int positions[] = {0, 1, 7, 4999, 5001, 12345, LENGTH - 1};
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++)
        for (gw_markov_kind kind = 0; kind < GW_MARKOV_KINDS; kind++) {
            double p[4], q[4];
            const uint8_t was = code[positions[i]];
            gw_markov_predict(markov, kind, code, positions[i], LENGTH, p);
            code[positions[i]] = 4;
            gw_markov_predict(markov, kind, code, positions[i], LENGTH, q);
            code[positions[i]] = was;
            cr_assert_float_eq(p[0] + p[1] + p[2] + p[3], 1, 1e-12);
            for (int x = 0; x < 4; x++) cr_assert(p[x] > 0 && p[x] == q[x]);
        }
    gw_markov_free(markov);
    free(code);
}

Test(markov, learns_a_dependence_and_the_right_side_helps) {
    uint8_t *train = patterned(1), *test = patterned(2);
    gw_markov *markov = trained(train, 1);
    const double causal = bits_per_base(markov, GW_MARKOV_CAUSAL, test),
                 both = bits_per_base(markov, GW_MARKOV_TWO_SIDED, test);
    // Both strands are counted, and the other one falls where this one rises, so the causal chain has to tell them
    // apart by the phase before it; the entropy of one strand alone is 0.929 bits.
    cr_assert(causal < 1.6, "%g", causal);
    cr_assert(both < causal - 0.1, "%g, causal %g", both, causal);
    gw_markov_free(markov);
    free(train);
    free(test);
}

Test(markov, no_pattern_gives_two_bits) {
    uint8_t *code = malloc(LENGTH), *test = malloc(LENGTH);
    gw_random random = gw_random_at(9, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < LENGTH; i++) {
        code[i] = (uint8_t)gw_random_below(&random, 4);
        test[i] = (uint8_t)gw_random_below(&random, 4);
    }
    gw_markov *markov = trained(code, 1);
    for (gw_markov_kind kind = 0; kind < GW_MARKOV_KINDS; kind++) {
        const double bits = bits_per_base(markov, kind, test);
        cr_assert(bits > 1.99 && bits < 2.02, "%g", bits);
    }
    gw_markov_free(markov);
    free(code);
    free(test);
}

Test(markov, repeats_of_the_text_change_nothing) {
    uint8_t *train = patterned(1), *test = patterned(2);
    gw_markov *once = trained(train, 1), *often = trained(train, 7);
    cr_assert_eq(gw_markov_multiplicity(once), 1);
    cr_assert_eq(gw_markov_multiplicity(often), 7);
    for (gw_markov_kind kind = 0; kind < GW_MARKOV_KINDS; kind++)
        cr_assert_float_eq(bits_per_base(once, kind, test), bits_per_base(often, kind, test), 0.01);
    gw_markov_free(once);
    gw_markov_free(often);
    free(train);
    free(test);
}

Test(markov, two_sided_is_the_same_on_both_strands) {
    uint8_t *code = patterned(3), *reverse = malloc(LENGTH);
    for (int i = 0; i < LENGTH; i++) reverse[i] = 3 - code[LENGTH - 1 - i];
    gw_markov *markov = trained(code, 1), *other = trained(reverse, 1);
    double p[4], q[4];
    gw_markov_predict(markov, GW_MARKOV_CAUSAL, code, 777, LENGTH, p);
    gw_markov_predict(other, GW_MARKOV_CAUSAL, code, 777, LENGTH, q);
    for (int x = 0; x < 4; x++) cr_assert_float_eq(p[x], q[x], 0.02); // the counts agree; the samples differ
    gw_markov_free(markov);
    gw_markov_free(other);
    free(code);
    free(reverse);
}

Test(markov, a_span_is_its_bases_in_turn) {
    uint8_t *code = patterned(4);
    gw_markov *markov = trained(code, 1);
    double sum = 0, p[4];
    for (int i = 100; i < 105; i++) sum += gw_markov_bits(markov, GW_MARKOV_CAUSAL, code, LENGTH, i, i + 1);
    cr_assert_float_eq(gw_markov_bits(markov, GW_MARKOV_CAUSAL, code, LENGTH, 100, 105), sum, 1e-9);
    // All spans of two bases together have probability 1, also where the right side is known.
    double total = 0;
    const uint8_t a = code[200], b = code[201];
    for (code[200] = 0; code[200] < 4; code[200]++)
        for (code[201] = 0; code[201] < 4; code[201]++)
            total += exp2(-gw_markov_bits(markov, GW_MARKOV_TWO_SIDED, code, LENGTH, 200, 202));
    cr_assert_float_eq(total, 1, 1e-9);
    code[200] = a;
    code[201] = b;
    gw_markov_predict(markov, GW_MARKOV_CAUSAL, code, 100, LENGTH, p);
    cr_assert_float_eq(gw_markov_bits(markov, GW_MARKOV_CAUSAL, code, LENGTH, 100, 101), -log2(p[code[100]]), 1e-12);
    gw_markov_free(markov);
    free(code);
}

Test(markov, nothing_counted_is_an_error) {
    gw_markov *markov;
    const uint8_t code[3] = {4, 4, 4};
    cr_assert_eq(gw_markov_new(2, &markov), GW_OK);
    cr_assert_eq(gw_markov_add(markov, code, 3), GW_OK);
    cr_assert_eq(gw_markov_fit(markov), GW_ERR_FORMAT);
    gw_markov_free(markov);
}
