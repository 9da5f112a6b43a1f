// SPDX-License-Identifier: MIT
// Where bases embed nearly alike, changes of probabilities and logits to first order are the exact ones.
#include "base/random.h"
#include "fixtures.h"
#include "network/label_predictor.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { LENGTH = 60, CHANGES = 6, WINDOWS = 2 * (CHANGES + 1), VALUES = WINDOWS * FIXTURE_LABELS };
static const float near = 2e-3F; // standard deviation of embeddings of bases from those of the first one

// With dropout, which is not in effect.
static gw_model *model_of(const char *stem) {
    gw_config config = fixture_config(FIXTURE_LABELS, 0.3);
    config.temperature = 1.5;
    config.pooling = stem ? GW_SEQUENCE_MEAN : GW_SEQUENCE_FIRST;
    if (stem) {
        config.family = GW_FAMILY_DNA;
        config.pre_norm = config.last_norm = true;
        config.rotary = 8;
        cr_assert_eq(gw_stem_parse(stem, config.width, &config.stem), GW_OK, "%s", gw_message());
    }
    gw_model *model = fixture_model_of(&config);
    const gw_parameter *table = gw_model_role(model, GW_ROLE_TOKEN_EMBEDDING, 0, false);
    float *of = model->parameters.weight + table->offset;
    const int64_t rows = gw_tokenizer_size(model->tokenizer), width = table->count / rows;
    gw_random random = gw_random_at(5, GW_SITE_TEST, 0, 0);
    for (int64_t t = 6; t < rows; t++)
        for (int64_t e = 0; e < width; e++) of[t * width + e] = of[5 * width + e] + near * gw_random_normal(&random);
    gw_config_free(&config);
    return model;
}

// Two windows, each followed by others that differ from it in one base.
static void encode(gw_label_predictor *predictor, gw_token_strings *strings, int64_t like[WINDOWS]) {
    gw_random random = gw_random_at(6, GW_SITE_TEST, 0, 0);
    char first[LENGTH], bases[LENGTH];
    for (int w = 0; w < WINDOWS; w++) {
        const int k = w % (CHANGES + 1), at = k * 11 % LENGTH;
        bool fits;
        for (int i = 0; k == 0 && i < LENGTH; i++) first[i] = "ACGT"[gw_random_below(&random, 4)];
        memcpy(bases, first, sizeof bases);
        if (k > 0) bases[at] = first[at] == 'G' ? 'T' : 'G';
        like[w] = w - k;
        cr_assert_eq(gw_label_predictor_encode(predictor, bases, LENGTH, strings, &fits), GW_OK, "%s", gw_message());
        cr_assert(fits);
    }
}

static void check(const char *stem, bool both) {
    static float exact[2][VALUES], made[2][VALUES];
    int64_t like[WINDOWS];
    gw_model *model = model_of(stem);
    gw_token_strings strings = {0};
    gw_label_predictor *predictor;
    gw_label_gradient *gradient;
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
    const gw_label_predictor_options options = {.both_strands = both};
    cr_assert_eq(gw_label_predictor_new(model, &options, &predictor), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_label_gradient_new(model, both, &gradient), GW_OK, "%s", gw_message());
    encode(predictor, &strings, like);
    cr_assert_eq(gw_label_predictor_run_tokens(predictor, &strings, exact[0], exact[1]), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_label_gradient_run(gradient, &strings, like, made[0], made[1]), GW_OK, "%s", gw_message());
    for (int of = 0; of < 2; of++) { // probabilities and logits
        double off = 0, size = 0;
        for (int i = 0; i < VALUES; i++) {
            const int first = (int)like[i / FIXTURE_LABELS] * FIXTURE_LABELS + i % FIXTURE_LABELS;
            const double wanted = (double)(exact[of][i] - exact[of][first]),
                         found = (double)(made[of][i] - made[of][first]);
            cr_expect_float_eq(made[of][first], exact[of][first], 2e-5);
            off += (wanted - found) * (wanted - found);
            size += wanted * wanted;
        }
        cr_expect_gt(size, 0);
        cr_expect_lt(sqrt(off / size), 0.03, "%s: %g of %g", stem ? stem : "no stem", sqrt(off), sqrt(size));
    }
    gw_token_strings_free(&strings);
    gw_label_gradient_free(gradient);
    gw_label_predictor_free(predictor);
    gw_model_free(model);
}

Test(label_gradient, small_changes_are_exact_to_first_order) {
    check(NULL, false);
    check(NULL, true);
    check("conv:5+res:3@1,2", true);
}

Test(label_gradient, other_labels_are_refused) {
    gw_model *model = model_of(NULL);
    gw_label_gradient *gradient;
    model->config.problem = GW_PROBLEM_SINGLE_LABEL;
    cr_expect_eq(gw_label_gradient_new(model, false, &gradient), GW_ERR_UNSUPPORTED);
    cr_expect_null(gradient);
    gw_model_free(model);
}
