// SPDX-License-Identifier: MIT
// The INFO keys of `score`: which of them a model and its options give, and the values that alleles get.
#include "score/score_keys.h"
#include "score/score_run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const gw_model pretrained, tuned = {.config.labels = 1};

// The names of the keys in use, joined by commas.
static const char *names_of(const gw_model *model, gw_score_options options) {
    static char names[256];
    names[0] = 0;
    for (int row = 0; row < GW_SCORE_KEYS; row++) {
        if (!gw_score_key_is_used(&gw_score_key_rows[row], model, &options, NULL)) continue;
        if (names[0]) strcat(names, ",");
        strcat(names, gw_score_key_rows[row].name);
    }
    return names;
}

Test(score_keys, follow_from_model_and_options) {
    cr_expect_str_eq(names_of(&tuned, (gw_score_options){0}), "DIFF,LOGIT,TOPI,TOP,MEAN,STATUS");
    cr_expect_str_eq(names_of(&tuned, (gw_score_options){.raw = true, .top = 3, .phases = 2}),
                     "DIFF,LOGIT,TOPI,TOP,MEAN,PREF,PALT,TOPS,SD,STATUS");
    cr_expect_str_eq(names_of(&tuned, (gw_score_options){.scores = "log2fc"}), "LOG2FC,TOPI,TOP,STATUS");
    cr_expect_str_eq(names_of(&pretrained, (gw_score_options){0}), "LLR,STATUS");
    cr_expect_str_eq(names_of(&pretrained, (gw_score_options){.raw = true, .top = 3, .shifts = true}),
                     "LLR,LEFT,RIGHT,STATUS");
}

// The fields that `serve` and the library give, joined by commas.
static const char *fields_of(const gw_model *model, gw_score_options options) {
    static char names[256];
    const gw_score_key_row *rows[GW_SCORE_KEYS];
    const int count = gw_score_fields(model, &options, rows);
    names[0] = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0) strcat(names, ",");
        strcat(names, rows[i]->field);
    }
    return names;
}

Test(score_keys, are_fields_too) {
    const gw_allele allele = {.difference = 0.25F, .top = 7};
    const gw_score_key_row *rows[GW_SCORE_KEYS];
    cr_expect_str_eq(fields_of(&tuned, (gw_score_options){0}), "diff,logit,mean,pref,palt,top");
    cr_expect_str_eq(fields_of(&tuned, (gw_score_options){.sites = "x"}), "diff,logit,mean,pref,palt,top,site");
    cr_expect_str_eq(fields_of(&tuned, (gw_score_options){.phases = 2}), "diff,logit,mean,pref,palt,sd,top");
    cr_expect_str_eq(fields_of(&pretrained, (gw_score_options){.phases = 2}), "llr,sd");
    cr_assert_eq(gw_score_fields(&tuned, &(gw_score_options){0}, rows), 6);
    cr_expect_eq(gw_score_field(rows[0], &allele), 0.25);
    cr_expect_eq(gw_score_field(rows[5], &allele), 7);
}

static void expect_refused(const gw_model *model, const char *scores, const char *message) {
    const gw_score_options options = {.scores = scores};
    cr_assert_eq(gw_score_key_check(model, &options, NULL), GW_ERR_UNSUPPORTED, "%s", scores);
    cr_expect(strstr(gw_message(), message), "%s: %s", scores, gw_message());
}

Test(score_keys, are_refused_where_the_model_has_none) {
    cr_expect_eq(gw_score_key_check(&tuned, &(gw_score_options){.scores = "effect,diff"}, NULL), GW_OK);
    cr_expect_eq(gw_score_key_check(&pretrained, &(gw_score_options){.scores = "llr"}, NULL), GW_OK);
    expect_refused(&pretrained, "llr,diff", "'diff' is not a score of a pretrained model");
    expect_refused(&tuned, "llr", "'llr' is not a score of a fine-tuned model");
    expect_refused(&tuned, "diff,", "'' is not a score");
    expect_refused(&tuned, "dif", "'dif' is not a score");
    expect_refused(&tuned, "z", "the score 'z' needs a --background");
}

Test(score_keys, are_values_for_each_allele_under_the_tag) {
    const char *const alts[] = {"C", "<INS>"};
    const gw_vcf_record record = {.ref = "A", .alts = 2, .alt = (const char **)alts};
    const gw_allele alleles[] = {{.status = GW_ALLELE_PASS, .bits = -1.5F}, {.status = GW_ALLELE_SYMBOLIC, .bits = 9}};
    const gw_score_run run = {.model = (gw_model *)&pretrained, .options = &(gw_score_options){.tag = "MY"}};
    const gw_info_values *values;
    int count;
    gw_score_keys *keys;
    cr_assert_eq(gw_score_keys_new(&run, &keys), GW_OK, "%s", gw_message());
    const gw_info_key *list = gw_score_keys_list(keys, &count);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(list[0].key, "MY_LLR");
    cr_expect_str_eq(list[1].key, "MY_STATUS");
    cr_assert_eq(gw_score_keys_values(keys, &record, alleles, NULL, &values), GW_OK, "%s", gw_message());
    cr_expect_eq(values[0].floats[0], -1.5F);
    cr_expect(isnan(values[0].floats[1]), "an allele that is not scored has no value");
    cr_expect_str_eq(values[1].strings[0], "PASS");
    cr_expect_str_eq(values[1].strings[1], "SYMBOLIC");
    gw_score_keys_free(keys);
}

Test(score_keys, take_no_tag_that_a_header_could_not_name) {
    const char *const tags[] = {"", "1A", "A B", "A-B", "A;B"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        const gw_score_run run = {.model = (gw_model *)&pretrained, .options = &(gw_score_options){.tag = tags[i]}};
        gw_score_keys *keys = NULL;
        cr_expect_neq(gw_score_keys_new(&run, &keys), GW_OK, "'%s'", tags[i]);
        gw_score_keys_free(keys);
    }
}
