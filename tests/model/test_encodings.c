// SPDX-License-Identifier: MIT
// Windows of a variant are encoded once: counted at the tokenizer's functions, which the linker puts these in front of.
#include "fixtures.h"
#include "score/allele_scorer.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>

TestSuite(encodings, .init = scratch_enter, .fini = scratch_leave);

enum { WINDOW = 40, ALTS = 3 };

static int encodings;

gw_status __real_gw_encode(gw_encoder *encoder, const char *text, int64_t length, const int32_t **tokens,
                           int64_t *count);
gw_status __wrap_gw_encode(gw_encoder *encoder, const char *text, int64_t length, const int32_t **tokens,
                           int64_t *count);
gw_status __wrap_gw_encode(gw_encoder *encoder, const char *text, int64_t length, const int32_t **tokens,
                           int64_t *count) {
    encodings++;
    return __real_gw_encode(encoder, text, length, tokens, count);
}

gw_status __real_gw_encode_with_specials(gw_encoder *encoder, const char *a, int64_t a_length, const char *b,
                                         int64_t b_length, const int32_t **tokens, const int32_t **segments,
                                         int64_t *count);
gw_status __wrap_gw_encode_with_specials(gw_encoder *encoder, const char *a, int64_t a_length, const char *b,
                                         int64_t b_length, const int32_t **tokens, const int32_t **segments,
                                         int64_t *count);
gw_status __wrap_gw_encode_with_specials(gw_encoder *encoder, const char *a, int64_t a_length, const char *b,
                                         int64_t b_length, const int32_t **tokens, const int32_t **segments,
                                         int64_t *count) {
    encodings++;
    return __real_gw_encode_with_specials(encoder, a, a_length, b, b_length, tokens, segments, count);
}

// Scores the first ALTs of one site; returns how many times anything was encoded.
static int score(int64_t labels, int alts, int64_t phases, gw_allele alleles[ALTS]) {
    static const char *const alt[ALTS] = {"C", "GAT", "T"};
    gw_model *model = fixture_model(labels, 0);
    const gw_score_options options = {.window = WINDOW, .phases = phases};
    gw_allele_scorer *scorer;
    gw_genome *genome;
    scratch_text("g.fa", ">c\nACGTTGCATTAGGCATTACGATCAGCATCAGCATCAGCACTACGGCATTACGATTTACGGACCAGGTTA\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
    cr_assert_eq(gw_allele_scorer_new(model, genome, &options, &scorer), GW_OK, "%s", gw_message());
    for (int i = 0; i < alts; i++)
        cr_assert_eq(gw_allele_of(genome, 0, 30, "G", alt[i], &alleles[i]), GW_OK, "%s", gw_message());
    encodings = 0;
    cr_assert_eq(gw_allele_scorer_run(scorer, alleles, alts, NULL), GW_OK, "%s", gw_message());
    const int count = encodings;
    for (int i = 0; i < alts; i++) cr_assert_eq(alleles[i].status, GW_ALLELE_PASS);
    gw_allele_scorer_free(scorer);
    gw_genome_close(genome);
    gw_model_free(model);
    return count;
}

// REF and ALT on both strands.
Test(encodings, of_a_pretrained_model) {
    gw_allele alleles[ALTS];
    cr_expect_eq(score(0, 1, 1, alleles), 4);
    cr_expect_eq(score(0, 1, 3, alleles), 12);
}

// The REF windows of a site's ALTs are one.
Test(encodings, of_a_classifier) {
    gw_allele alleles[ALTS];
    cr_expect_eq(score(2, 1, 1, alleles), 4);
    cr_expect_eq(score(2, 1, 3, alleles), 12);
    cr_expect_eq(score(2, ALTS, 1, alleles), 2 * (1 + ALTS));
}

Test(encodings, company_does_not_matter) {
    for (int64_t labels = 0; labels <= 2; labels += 2) {
        gw_allele together[ALTS], alone[ALTS];
        score(labels, ALTS, 3, together);
        score(labels, 1, 3, alone);
        cr_expect_float_eq(together[0].bits, alone[0].bits, 1e-6);
        cr_expect_float_eq(together[0].difference, alone[0].difference, 1e-6);
        cr_expect_float_eq(together[0].spread, alone[0].spread, 1e-6);
    }
}
