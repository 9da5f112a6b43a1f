// SPDX-License-Identifier: MIT
// The INFO keys of `score`: which of them a model and its options give, and the values that alleles get.
#include "score/score_key_table.h"
#include "score/score_keys.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// The names of the keys in use, joined by commas.
static const char *names_of(bool classifier, gw_score_key_options options) {
    static char names[256];
    names[0] = 0;
    for (int row = 0; row < GW_SCORE_KEYS; row++) {
        if (!gw_score_key_is_used(&gw_score_key_rows[row], classifier, &options)) continue;
        if (names[0]) strcat(names, ",");
        strcat(names, gw_score_key_rows[row].name);
    }
    return names;
}

Test(score_keys, follow_from_model_and_options) {
    cr_expect_str_eq(names_of(true, (gw_score_key_options){0}), "DIFF,LOGIT,TOPI,TOP,MEAN,STATUS");
    cr_expect_str_eq(names_of(true, (gw_score_key_options){.raw = true, .top = 3, .spread = true}),
                     "DIFF,LOGIT,TOPI,TOP,MEAN,PREF,PALT,TOPS,SD,STATUS");
    cr_expect_str_eq(names_of(true, (gw_score_key_options){.scores = "log2fc"}), "LOG2FC,TOPI,TOP,STATUS");
    cr_expect_str_eq(names_of(false, (gw_score_key_options){0}), "LLR,STATUS");
    cr_expect_str_eq(names_of(false, (gw_score_key_options){.raw = true, .top = 3, .shifts = true}),
                     "LLR,LEFT,RIGHT,STATUS");
}

static void expect_refused(bool classifier, const char *scores, const char *message) {
    const gw_score_key_options options = {.scores = scores};
    cr_assert_eq(gw_score_key_check(classifier, &options), GW_ERR_UNSUPPORTED, "%s", scores);
    cr_expect(strstr(gw_message(), message), "%s: %s", scores, gw_message());
}

Test(score_keys, are_refused_where_the_model_has_none) {
    cr_expect_eq(gw_score_key_check(true, &(gw_score_key_options){.scores = "effect,diff"}), GW_OK);
    cr_expect_eq(gw_score_key_check(false, &(gw_score_key_options){.scores = "llr"}), GW_OK);
    expect_refused(false, "llr,diff", "'diff' is no score of a pretrained model");
    expect_refused(true, "llr", "'llr' is no score of a fine-tuned model");
    expect_refused(true, "diff,", "'' is no score");
    expect_refused(true, "dif", "'dif' is no score");
    expect_refused(true, "z", "the score 'z' needs a --background");
}

static gw_score_keys *keys_of_pretrained(const gw_score_key_options *options) {
    static const gw_config config; // no labels: pretrained
    gw_score_keys *keys;
    cr_assert_eq(gw_score_keys_new(&config, options, &keys), GW_OK, "%s", gw_message());
    return keys;
}

Test(score_keys, are_values_for_each_allele_under_the_tag) {
    const char *const alts[] = {"C", "<INS>"};
    const gw_vcf_record record = {.ref = "A", .alts = 2, .alt = (const char **)alts};
    const gw_allele alleles[] = {{.status = GW_ALLELE_PASS, .bits = -1.5F}, {.status = GW_ALLELE_SYMBOLIC, .bits = 9}};
    const gw_score_key_options options = {.tag = "MY"};
    const gw_info_values *values;
    int count;
    gw_score_keys *keys = keys_of_pretrained(&options);
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
    static const gw_config config;
    const char *const tags[] = {"", "1A", "A B", "A-B", "A;B"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        gw_score_keys *keys = NULL;
        cr_expect_neq(gw_score_keys_new(&config, &(gw_score_key_options){.tag = tags[i]}, &keys), GW_OK, "'%s'",
                      tags[i]);
        gw_score_keys_free(keys);
    }
}
