// SPDX-License-Identifier: MIT
// Labels that are numbers: what config.json says of them, and the way between their unit and logits.
#include "model/config.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(numbers, .init = scratch_enter, .fini = scratch_leave);

#define HEAD                                                                                                           \
    "{\"architectures\": [\"BigBirdForSequenceClassification\"], \"num_labels\": 2, \"problem_type\": "                \
    "\"regression\""

static gw_status parse(const char *numbers, gw_config *out) {
    char text[512];
    snprintf(text, sizeof text, HEAD ", \"godwit\": {\"numbers\": %s}}", numbers);
    return gw_config_parse("config.json", text, (int64_t)strlen(text), out);
}

Test(numbers, a_folder_keeps_them) {
    gw_config config, copy, again;
    const gw_status status = parse("{\"loss\": \"huber\", \"bend\": 1.5, \"mean\": [2, -1], \"deviation\": [4, 0.5], "
                                   "\"weight\": [1, 3]}",
                                   &config);
    cr_assert_eq(status, GW_OK, "%s", gw_message());
    cr_assert_eq(gw_config_copy(&config, &copy), GW_OK);
    gw_config_free(&config);
    cr_assert_eq(gw_config_save(&copy, "config.json"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_config_load("config.json", &again), GW_OK, "%s", gw_message());
    cr_expect(again.numbers.loss == GW_NUMBER_LOSS_HUBER && gw_numbers_bend(&again.numbers) == 1.5);
    cr_expect(again.numbers.mean[1] == -1 && again.numbers.deviation[0] == 4 && again.numbers.weight[1] == 3);
    cr_expect(gw_config_logits(&again) == 2 && gw_numbers_value(&again.numbers, 0, 0.5) == 4);
    gw_config_forget_labels(&again);
    cr_expect(!again.numbers.mean && again.numbers.loss == GW_NUMBER_LOSS_SQUARED);
    gw_config_free(&copy);
    gw_config_free(&again);
}

Test(numbers, a_learned_variance_is_a_second_output_of_each) {
    gw_config config;
    cr_assert_eq(parse("{\"loss\": \"gaussian\"}", &config), GW_OK, "%s", gw_message());
    cr_expect(config.labels == 2 && gw_config_logits(&config) == 4);
    cr_expect_eq(gw_numbers_value(&config.numbers, 1, 0.25), 0.25, "without mean and deviation a logit is the number");
    gw_config_free(&config);
}

Test(numbers, bad_ones_are_named) {
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"3", "\"numbers\" is not an object"},
        {"{\"loss\": \"l1\"}", "\"loss\" of \"numbers\" is \"l1\""},
        {"{\"mean\": [1, 2]}", "expected both"},
        {"{\"mean\": [1], \"deviation\": [1, 2]}", "\"mean\" of \"numbers\" is not a list of 2 numbers"},
        {"{\"mean\": [1, 2], \"deviation\": [1, 0]}", "number 2 of \"deviation\""},
        {"{\"mean\": [1, \"x\"], \"deviation\": [1, 1]}", "number 2 of \"mean\""},
        {"{\"weight\": [-1, 1]}", "number 1 of \"weight\""},
        {"{\"loss\": \"huber\", \"bend\": -1}", "\"bend\" of \"numbers\" is -1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gw_config config;
        cr_expect_neq(parse(bad[i].text, &config), GW_OK, "%s", bad[i].text);
        cr_expect(strstr(gw_message(), bad[i].message), "%s: %s", bad[i].text, gw_message());
    }
}

static char *names[] = {"first", "second"};

Test(numbers, columns_have_mean_0_and_deviation_1_where_they_are_learned) {
    float values[] = {1, 10, 3, NAN, 5, 30};
    gw_numbers numbers = {.loss = GW_NUMBER_LOSS_SQUARED};
    cr_assert_eq(gw_numbers_fit(&numbers, values, 3, 2, names), GW_OK, "%s", gw_message());
    cr_expect(numbers.mean[0] == 3 && fabs(numbers.deviation[0] - sqrt(8.0 / 3)) < 1e-12);
    cr_expect(numbers.mean[1] == 20 && fabs(numbers.deviation[1] - 10) < 1e-12);
    float row[] = {5, NAN};
    gw_numbers_standardise(&numbers, 2, row);
    cr_expect(fabs((double)row[0] - 2 / sqrt(8.0 / 3)) < 1e-6 && isnan(row[1]));
    cr_expect(fabs(gw_numbers_value(&numbers, 0, (double)row[0]) - 5) < 1e-6);
    numbers.loss = GW_NUMBER_LOSS_POISSON;
    cr_assert_eq(gw_numbers_fit(&numbers, values, 3, 2, names), GW_OK, "%s", gw_message());
    cr_expect(numbers.mean[1] == 0 && numbers.deviation[1] == 20 && gw_numbers_value(&numbers, 1, 0) == 20);
    gw_numbers_free(&numbers);
}

static void expect_refused(gw_number_loss_kind loss, const float *values, const char *message) {
    gw_numbers numbers = {.loss = loss};
    cr_expect_neq(gw_numbers_fit(&numbers, values, 3, 2, names), GW_OK);
    cr_expect(strstr(gw_message(), message), "%s", gw_message());
    gw_numbers_free(&numbers);
}

Test(numbers, columns_that_teach_nothing_are_refused) {
    expect_refused(GW_NUMBER_LOSS_SQUARED, (float[]){1, 2, 3, 2, 5, 2}, "all 3 numbers of the column 'second' are 2");
    expect_refused(GW_NUMBER_LOSS_SQUARED, (float[]){NAN, 2, NAN, 3, NAN, 4}, "the column 'first' has no number");
    expect_refused(GW_NUMBER_LOSS_POISSON, (float[]){1, 2, -3, 3, 5, 4}, "the column 'first' holds -3");
}
