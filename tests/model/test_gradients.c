// SPDX-License-Identifier: MIT
// Steps of examples: that a step may be cut anywhere, the densities of its own sampled graphs, and an example that no
// batch can hold.
#include "language/text_examples.h"
#include "language/text_pairs.h"
#include "model/config.h"
#include "run/step.h"
#include "task/windows/windows_private.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 4, LENGTH = 12, TARGET = 5 };

static gw_model *small_model(const char *size, const char *pattern, gw_head head, int64_t labels) {
    gw_config config;
    gw_tokenizer *letters;
    gw_model *model;
    cr_assert_eq(gw_config_preset(size, &config), GW_OK);
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_config_use_pattern(&config, pattern), GW_OK);
    config.width = 32;
    config.layers = 1;
    config.feed_forward = 32;
    config.heads = 2;
    config.positions = 16;
    config.head = head;
    config.labels = labels;
    config.problem = GW_PROBLEM_REGRESSION;
    cr_assert_eq(gw_model_new(&config, letters, 5, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

static gw_model *sampling_model(const char *size, gw_head head, int64_t labels) {
    return small_model(size, "sbm:4+band:1", head, labels);
}

static int32_t source[PAIRS * LENGTH], target[PAIRS * TARGET], segment[PAIRS * LENGTH];
static int64_t source_start[PAIRS + 1], target_start[PAIRS + 1];

static void draw_pairs(gw_text_pairs *pairs) {
    for (int i = 0; i < PAIRS * LENGTH; i++) source[i] = 5 + i * 7 % 13 % 4;
    for (int i = 0; i < PAIRS * TARGET; i++) target[i] = 5 + i % 3;
    for (int i = 0; i <= PAIRS; i++) source_start[i] = i * LENGTH, target_start[i] = i * TARGET;
    *pairs = (gw_text_pairs){.count = PAIRS,
                             .source = source,
                             .target = target,
                             .source_start = source_start,
                             .target_start = target_start,
                             .longest_source = LENGTH,
                             .longest_target = TARGET};
}

static double first_density(const json_t *row) {
    const json_t *density = json_array_get(json_array_get(json_object_get(row, "density"), 0), 0);
    return density ? json_real_value(density) : NAN;
}

static double density_of_step(gw_steps *step, int64_t number) {
    gw_step_sums sums;
    cr_assert_eq(gw_step_gradient(step, number, &sums), GW_OK, "%s", gw_message());
    json_t *row = json_object();
    gw_network_add_metrics(step->network, row);
    const double density = first_density(row);
    json_decref(row);
    return density;
}

static const gw_network_options training = {.training = true, .mixer.sbm.exploration = 0.01, .seed = 3};
static const gw_epochs two_pairs = {.seed = 3, .examples = PAIRS, .batch = 2};

Test(gradients, density_of_pairs_is_of_the_step) {
    gw_model *model = sampling_model("pegasus-mini", GW_HEAD_GENERATION, 0);
    gw_text_pairs pairs;
    gw_examples examples;
    gw_steps both, second;
    draw_pairs(&pairs);
    cr_assert_eq(gw_pair_examples_open(model, &pairs, &two_pairs, 64, &examples), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_steps_make(&both, model, &examples, training), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_steps_make(&second, model, &examples, training), GW_OK, "%s", gw_message());
    const double before = density_of_step(&both, 0), after = density_of_step(&both, 1);
    cr_assert(before > 0 && before != after);
    cr_assert_eq(after, density_of_step(&second, 1));
    gw_steps_free(&second);
    gw_steps_free(&both);
    gw_examples_free(&examples);
    gw_model_free(model);
}

Test(gradients, pair_that_fits_no_batch) {
    gw_model *model = sampling_model("pegasus-mini", GW_HEAD_GENERATION, 0);
    gw_text_pairs pairs;
    gw_examples examples;
    gw_steps step;
    gw_step_sums sums;
    draw_pairs(&pairs);
    pairs.longest_source = LENGTH - 1; // less than it is
    cr_assert_eq(gw_pair_examples_open(model, &pairs, &two_pairs, 1, &examples), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_steps_make(&step, model, &examples, training), GW_OK, "%s", gw_message());
    for (int prepares = 0; prepares < 2; prepares++) {
        if (prepares) gw_steps_prepare(&step, 3);
        cr_assert_eq(gw_step_gradient(&step, 3, &sums), GW_ERR_RANGE);
        cr_assert_str_eq(gw_message(), "example 1 of step 4 does not fit a batch");
    }
    gw_steps_free(&step);
    gw_examples_free(&examples);
    gw_model_free(model);
}

// A step whose rows have no labels computes nothing: the densities of the step before are not its own.
Test(gradients, density_without_labels) {
    gw_model *model = sampling_model("tiny", GW_HEAD_SEQUENCE, 1);
    gw_text_pairs pairs;
    float number[PAIRS] = {1, NAN, 1, 1};
    gw_examples examples;
    gw_steps each;
    int lacking = 0;
    draw_pairs(&pairs);
    const gw_text_set set = {.rows = PAIRS,
                             .per_row = 1,
                             .start = source_start,
                             .token = source,
                             .segment = segment,
                             .classes = 1,
                             .number = number,
                             .longest = LENGTH,
                             .labels = GW_TEXT_NUMBERS};
    const gw_epochs order = {.seed = 3, .examples = PAIRS, .batch = 1};
    cr_assert_eq(gw_text_examples_open(model, &set, order, 64, &examples), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_steps_make(&each, model, &examples, training), GW_OK, "%s", gw_message());
    for (int64_t step = 0; step < 2 * PAIRS; step++) lacking += isnan(density_of_step(&each, step));
    cr_assert_eq(lacking, 2);
    gw_steps_free(&each);
    gw_examples_free(&examples);
    gw_model_free(model);
}

enum { STEP = 5, UNPREPARED = -1 };

// The loss of a step and its gradient, copied; batches hold `tokens` tokens. `prepared`: the step that was prepared.
static double run_cut(gw_model *model, const gw_text_pairs *pairs, int64_t tokens, int64_t prepared, int64_t *passes,
                      float **gradient) {
    const gw_network_options options = {.training = true, .seed = 3};
    const gw_epochs all = {.seed = 3, .examples = PAIRS, .batch = PAIRS};
    const size_t bytes = (size_t)model->parameters.floats * sizeof(float);
    gw_examples examples;
    gw_steps step;
    gw_step_sums sums;
    cr_assert_eq(gw_pair_examples_open(model, pairs, &all, tokens, &examples), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_steps_make(&step, model, &examples, options), GW_OK, "%s", gw_message());
    *passes = 0;
    for (int64_t next = 0; next < PAIRS; ++*passes)
        cr_assert_eq(gw_examples_fill(&examples, STEP, &next, PAIRS, 1), GW_OK, "%s", gw_message());
    memset(gw_network_gradient(step.network), 0, bytes);
    if (prepared != UNPREPARED) gw_steps_prepare(&step, prepared);
    cr_assert_eq(step.prepared.is_ready, prepared != UNPREPARED);
    cr_assert_eq(gw_step_gradient(&step, STEP, &sums), GW_OK, "%s", gw_message());
    cr_assert_eq(sums.tokens, PAIRS * (LENGTH + TARGET));
    cr_assert_eq(sums.labels[GW_ROWS_TARGET], PAIRS * TARGET);
    *gradient = memcpy(malloc(bytes), gw_network_gradient(step.network), bytes);
    gw_steps_free(&step);
    gw_examples_free(&examples);
    return gw_step_mean(&sums);
}

// Dropout is on: its draws do not know of passes.
Test(gradients, a_step_cut_anywhere_is_the_same) {
    gw_model *model = small_model("pegasus-mini", "full", GW_HEAD_GENERATION, 0);
    gw_text_pairs pairs;
    float *whole, *cut;
    int64_t passes;
    draw_pairs(&pairs);
    cr_assert_gt(model->config.dropout, 0);
    const double loss = run_cut(model, &pairs, PAIRS * LENGTH, UNPREPARED, &passes, &whole);
    cr_assert_eq(passes, 1);
    for (int64_t held = 3; held > 0; held--) {
        const double other = run_cut(model, &pairs, held * LENGTH, UNPREPARED, &passes, &cut);
        double difference = 0, size = 0;
        cr_assert_eq(passes, (PAIRS + held - 1) / held);
        cr_assert_float_eq(other, loss, 1e-6 * loss, "%lld passes: %g, not %g", (long long)passes, other, loss);
        for (int64_t i = 0; i < model->parameters.floats; i++) {
            difference += pow((double)(cut[i] - whole[i]), 2);
            size += pow((double)whole[i], 2);
        }
        cr_assert(size > 0 && difference < 1e-10 * size, "%lld passes: %g of %g", (long long)passes, difference, size);
        free(cut);
    }
    free(whole);
    gw_model_free(model);
}

// A step that was prepared, or another step in its place, has the bits of one that was not.
Test(gradients, a_prepared_step_is_the_same) {
    static const int64_t prepared[] = {STEP, STEP + 1};
    gw_model *model = small_model("pegasus-mini", "full", GW_HEAD_GENERATION, 0);
    gw_text_pairs pairs;
    float *plain, *found;
    int64_t passes;
    draw_pairs(&pairs);
    const double loss = run_cut(model, &pairs, 3 * LENGTH, UNPREPARED, &passes, &plain);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(run_cut(model, &pairs, 3 * LENGTH, prepared[i], &passes, &found), loss);
        cr_assert_arr_eq(found, plain, (size_t)model->parameters.floats * sizeof *found);
        free(found);
    }
    free(plain);
    gw_model_free(model);
}

// Example i alone is what it is among others, whatever was asked for before; in another epoch it is another.
Test(gradients, examples_are_functions_of_step_and_number, .init = scratch_enter, .fini = scratch_leave) {
    enum { ROWS = 6, BATCH = 4 };
    scratch_text("set.tsv", "sequence\ty\nACGTACGTAC\t1\nAACCGGTTAC\t0\nGATTACAGAT\t1\nTTTTGGGGCC\t\nCATCATCATG\t0\n"
                            "GGGGGCCCCA\t1\n");
    gw_model *model = small_model("tiny", "full", GW_HEAD_SEQUENCE, 1);
    gw_labelled_set *set;
    gw_examples examples;
    cr_assert_eq(gw_labelled_set_open((const char *[]){"set.tsv"}, 1, &(gw_labelled_options){0}, &set), GW_OK, "%s",
                 gw_message());
    const gw_label_examples_options options = {
        .order = {.seed = 3, .examples = ROWS, .batch = BATCH}, .tokens = 64, .reverse_at_random = true, .shift = 2};
    cr_assert_eq(gw_label_examples_open(model, set, &options, &examples), GW_OK, "%s", gw_message());
    const gw_rows *tokens = &examples.batch->of[GW_ROWS_TOKENS];
    int same = 0;
    for (int64_t step = 3; step >= 0; step--) {
        int32_t whole[BATCH * 16], other[16];
        int64_t start[BATCH + 1], next = 0;
        const int64_t count = examples.count(examples.self, step);
        cr_assert_eq(count, step % 2 == 0 ? BATCH : ROWS - BATCH);
        cr_assert_eq(gw_examples_fill(&examples, step, &next, count, 1), GW_OK, "%s", gw_message());
        cr_assert_eq(next, count);
        memcpy(whole, tokens->token, (size_t)tokens->count * sizeof *whole);
        memcpy(start, tokens->start, (size_t)(count + 1) * sizeof *start);
        for (int64_t i = count - 1; i >= 0; i--) {
            next = i;
            cr_assert_eq(gw_examples_fill(&examples, step ^ 2, &next, i + 1, 1), GW_OK);
            memcpy(other, tokens->token, (size_t)tokens->count * sizeof *other);
            next = i;
            cr_assert_eq(gw_examples_fill(&examples, step, &next, i + 1, 1), GW_OK);
            cr_assert_eq(tokens->count, start[i + 1] - start[i]);
            cr_assert(memcmp(tokens->token, whole + start[i], (size_t)tokens->count * sizeof *whole) == 0);
            same += memcmp(tokens->token, other, (size_t)tokens->count * sizeof *other) == 0;
        }
    }
    cr_assert_lt(same, ROWS);
    gw_examples_free(&examples);
    gw_labelled_set_close(set);
    gw_model_free(model);
}
