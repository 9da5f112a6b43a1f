// SPDX-License-Identifier: MIT
// The predictor against logits taken from the network by hand: ln w off, strands averaged, no company in a batch.
#include "base/memory.h"
#include "fixtures.h"
#include "network/label_predictor.h"
#include "network/token_batch.h"
#include "seq/genome/genome.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { LABELS = 3, WINDOWS = 7 };
static const char *const windows[WINDOWS] = {"ACGTTGCATTAGGCA",
                                             "TTTTTTTT",
                                             "acgtnnRYACGTU",
                                             "G",
                                             "GGCATTACGATCAGCATCAGCATCAGCACTACG",
                                             "ACGTTGCATTAGGCA",
                                             "CATCATCATCATCATTTACGACGACGACGAGGGGAGCA"};

static void measure(int64_t lengths[WINDOWS]) {
    for (int i = 0; i < WINDOWS; i++) lengths[i] = (int64_t)strlen(windows[i]);
}

static void predict(gw_model *model, bool both, int first, int count, float *probabilities, float *logits) {
    int64_t lengths[WINDOWS];
    gw_label_predictor *predictor;
    measure(lengths);
    const gw_label_predictor_options options = {.both_strands = both};
    cr_assert_eq(gw_label_predictor_new(model, &options, &predictor), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_label_predictor_labels(predictor), LABELS);
    cr_assert_eq(gw_label_predictor_run(predictor, windows + first, lengths + first, count, probabilities, logits),
                 GW_OK, "%s", gw_message());
    gw_label_predictor_free(predictor);
}

// The logits of one window, straight from the network.
static void network_logits(gw_model *model, const char *bases, int64_t length, float logits[LABELS]) {
    gw_token_batch tokens;
    gw_network *network;
    bool full;
    const gw_network_options options = {.tokens = 128, .sequences = 1};
    cr_assert_eq(gw_token_batch_make(&tokens, model->tokenizer, 128, 1, 128), GW_OK);
    cr_assert_eq(gw_token_batch_add(&tokens, bases, length, &full), GW_OK);
    cr_assert_not(full);
    const gw_rows *stream = &tokens.batch.of[GW_ROWS_TOKENS];
    cr_assert_eq(stream->start[1], length + 2);
    cr_assert_eq(stream->token[0], GW_TOKEN_CLS);
    cr_assert_eq(stream->token[length + 1], GW_TOKEN_SEP);
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK);
    cr_assert_eq(gw_network_forward(network, &tokens.batch, NULL), GW_OK);
    memcpy(logits, gw_network_output(network, GW_ROWS_FIRST), LABELS * sizeof *logits);
    gw_network_free(network);
    gw_token_batch_free(&tokens);
}

static double logistic(double z) {
    return 1 / (1 + exp(-z));
}

Test(predictor, takes_the_weight_off_and_averages_strands) {
    gw_model *model = fixture_model(LABELS, 0.1); // dropout must not be in effect
    float one[WINDOWS * LABELS], both[WINDOWS * LABELS], logits[WINDOWS * LABELS], forward[LABELS], reverse[LABELS];
    predict(model, false, 0, WINDOWS, one, NULL);
    predict(model, true, 0, WINDOWS, both, logits);
    for (int i = 0; i < WINDOWS; i++) {
        char flipped[64];
        const int64_t length = (int64_t)strlen(windows[i]);
        gw_reverse_complement(windows[i], length, flipped);
        network_logits(model, windows[i], length, forward);
        network_logits(model, flipped, length, reverse);
        for (int l = 0; l < LABELS; l++) {
            const double p = logistic((double)forward[l] - log(8)), q = logistic((double)reverse[l] - log(8));
            cr_assert_float_eq(one[i * LABELS + l], p, 1e-6);
            cr_assert_float_eq(both[i * LABELS + l], (p + q) / 2, 1e-6);
            cr_assert_float_eq(logits[i * LABELS + l], log((p + q) / (2 - p - q)), 1e-5);
        }
    }
    cr_assert_arr_eq(one, one + 5 * LABELS, LABELS * sizeof *one); // the same window twice
    gw_model_free(model);
}

Test(predictor, a_temperature_divides_each_strand) {
    gw_model *model = fixture_model(LABELS, 0);
    float both[WINDOWS * LABELS], logits[WINDOWS * LABELS], forward[LABELS], reverse[LABELS];
    model->config.temperature = 2.5;
    predict(model, true, 0, WINDOWS, both, logits);
    for (int i = 0; i < WINDOWS; i++) {
        char flipped[64];
        const int64_t length = (int64_t)strlen(windows[i]);
        gw_reverse_complement(windows[i], length, flipped);
        network_logits(model, windows[i], length, forward);
        network_logits(model, flipped, length, reverse);
        for (int l = 0; l < LABELS; l++) {
            const double p = logistic(((double)forward[l] - log(8)) / 2.5),
                         q = logistic(((double)reverse[l] - log(8)) / 2.5);
            cr_assert_float_eq(both[i * LABELS + l], (p + q) / 2, 1e-6);
            cr_assert_float_eq(logits[i * LABELS + l], log((p + q) / (2 - p - q)), 1e-5);
        }
    }
    gw_model_free(model);
}

Test(predictor, labels_that_exclude_each_other_sum_to_one) {
    gw_model *model = fixture_model(LABELS, 0);
    float probabilities[WINDOWS * LABELS], odds[WINDOWS * LABELS], forward[LABELS];
    model->config.problem = GW_PROBLEM_SINGLE_LABEL; // its weight of positives, 8, then means nothing
    predict(model, false, 0, WINDOWS, probabilities, odds);
    for (int i = 0; i < WINDOWS; i++) {
        double sum = 0;
        network_logits(model, windows[i], (int64_t)strlen(windows[i]), forward);
        for (int l = 0; l < LABELS; l++) sum += exp((double)forward[l]);
        for (int l = 0; l < LABELS; l++) {
            const double p = exp((double)forward[l]) / sum;
            cr_assert_float_eq(probabilities[i * LABELS + l], p, 1e-6);
            cr_assert_float_eq(odds[i * LABELS + l], log(p / (1 - p)), 1e-5);
        }
    }
    model->config.temperature = 0.5;
    predict(model, false, 0, 1, probabilities, odds);
    network_logits(model, windows[0], (int64_t)strlen(windows[0]), forward);
    double sum = 0;
    for (int l = 0; l < LABELS; l++) sum += exp(2 * (double)forward[l]);
    for (int l = 0; l < LABELS; l++) cr_assert_float_eq(probabilities[l], exp(2 * (double)forward[l]) / sum, 1e-6);
    gw_model_free(model);
}

Test(predictor, company_in_the_batch_does_not_matter) {
    gw_model *model = fixture_model(LABELS, 0);
    float all[WINDOWS * LABELS], alone[LABELS];
    predict(model, true, 0, WINDOWS, all, NULL);
    for (int i = 0; i < WINDOWS; i++) {
        predict(model, true, i, 1, alone, NULL);
        for (int l = 0; l < LABELS; l++) cr_assert_float_eq(alone[l], all[i * LABELS + l], 1e-6);
    }
    gw_model_free(model);
}

static void fill(gw_model *model, const char *name, float value) {
    const gw_parameter *parameter = gw_model_parameter(model, name);
    cr_assert_not_null(parameter);
    for (int64_t i = 0; i < parameter->count; i++) model->parameters.weight[parameter->offset + i] = value;
}

Test(predictor, logits_are_clipped) {
    gw_model *model = fixture_model(LABELS, 0);
    float probabilities[LABELS], logits[LABELS];
    fill(model, "classifier.out_proj.bias", 90);
    predict(model, true, 0, 1, probabilities, logits);
    cr_assert_float_eq(logits[0], log((1 - 1e-7) / 1e-7), 1e-5);
    fill(model, "classifier.out_proj.bias", -90);
    predict(model, true, 0, 1, probabilities, logits);
    cr_assert_float_eq(logits[0], -log((1 - 1e-7) / 1e-7), 1e-5);
    gw_model_free(model);
}

// Windows that come again within a call and in later ones, in other company and after a call that failed, have the bits
// that they have alone.
Test(predictor, windows_that_come_again_have_the_same_bits) {
    gw_model *model = fixture_model(LABELS, 0);
    float alone[WINDOWS][2][LABELS], probabilities[3 * WINDOWS * LABELS], logits[3 * WINDOWS * LABELS];
    const char *bases[3 * WINDOWS + 1];
    char text[200];
    int64_t lengths[3 * WINDOWS + 1];
    gw_label_predictor *predictor;
    const gw_label_predictor_options options = {.both_strands = true};
    memset(text, 'A', sizeof text);
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
    for (int i = 0; i < WINDOWS; i++) predict(model, true, i, 1, alone[i][0], alone[i][1]);
    cr_assert_eq(gw_label_predictor_new(model, &options, &predictor), GW_OK);
    for (int i = 0; i < 3 * WINDOWS; i++) {
        bases[i] = windows[i * 3 % WINDOWS];
        lengths[i] = (int64_t)strlen(bases[i]);
    }
    bases[3 * WINDOWS] = text;
    lengths[3 * WINDOWS] = sizeof text;
    for (int run = 0; run < 4; run++) {
        const int first = run, count = run == 2 ? 3 * WINDOWS + 1 - first : 3 * WINDOWS - first; // too long a window
        const gw_status status =
            gw_label_predictor_run(predictor, bases + first, lengths + first, count, probabilities, logits);
        cr_assert_eq(status, run == 2 ? GW_ERR_RANGE : GW_OK, "%s", gw_message());
        for (int i = 0; run != 2 && i < count; i++) {
            float(*expected)[LABELS] = alone[(first + i) * 3 % WINDOWS];
            cr_assert_arr_eq(probabilities + (ptrdiff_t)i * LABELS, expected[0], sizeof expected[0]);
            cr_assert_arr_eq(logits + (ptrdiff_t)i * LABELS, expected[1], sizeof expected[1]);
        }
    }
    gw_label_predictor_free(predictor);
    gw_model_free(model);
}

// Without gw_model_freeze() the weights may change between calls (fine-tuning), and nothing of before holds.
Test(predictor, changed_weights_are_seen) {
    gw_model *model = fixture_model(LABELS, 0);
    float before[LABELS], after[LABELS], fresh[LABELS];
    const int64_t length = (int64_t)strlen(windows[0]);
    gw_label_predictor *predictor;
    const gw_label_predictor_options options = {0};
    cr_assert_eq(gw_label_predictor_new(model, &options, &predictor), GW_OK);
    cr_assert_eq(gw_label_predictor_run(predictor, windows, &length, 1, before, NULL), GW_OK);
    fill(model, "classifier.out_proj.bias", 1);
    cr_assert_eq(gw_label_predictor_run(predictor, windows, &length, 1, after, NULL), GW_OK);
    predict(model, false, 0, 1, fresh, NULL);
    cr_assert_arr_eq(after, fresh, sizeof after);
    cr_assert_neq(after[0], before[0]);
    gw_label_predictor_free(predictor);
    gw_model_free(model);
}

Test(predictor, refusals) {
    gw_model *model = fixture_model(LABELS, 0), *pretrained = fixture_model(0, 0);
    gw_label_predictor *predictor;
    char text[200];
    const char *two[] = {"ACGT", text};
    int64_t lengths[] = {4, 126};
    float probabilities[2 * LABELS];
    memset(text, 'A', sizeof text);
    const gw_label_predictor_options options = {0};
    cr_assert_eq(gw_label_predictor_new(pretrained, &options, &predictor), GW_ERR_UNSUPPORTED);
    cr_assert_null(predictor);
    cr_assert_eq(gw_label_predictor_new(model, &options, &predictor), GW_OK);
    cr_assert_eq(gw_label_predictor_run(predictor, two, lengths, 2, probabilities, NULL),
                 GW_OK); // 126 + 2 = 128 positions
    lengths[1] = 127;
    cr_assert_eq(gw_label_predictor_run(predictor, two, lengths, 2, probabilities, NULL), GW_ERR_RANGE);
    cr_assert_str_eq(gw_message(),
                     "window 1: a window of 127 bases makes 129 tokens with special ones; the model has 128 positions");
    fill(model, "classifier.out_proj.bias", NAN);
    cr_assert_eq(gw_label_predictor_run(predictor, two, lengths, 1, probabilities, NULL), GW_ERR_RANGE);
    cr_assert_eq(gw_label_predictor_run(predictor, two, lengths, 0, probabilities, NULL), GW_OK);
    cr_assert_eq(gw_check_window(model, 126), GW_OK);
    cr_assert_eq(gw_check_window(model, 127), GW_ERR_MISMATCH);
    gw_label_predictor_free(predictor);
    gw_model_free(model);
    gw_model_free(pretrained);
}

// Of labels that are numbers: mean + deviation z, of counts deviation exp(z), each strand's, and their mean.
Test(predictor, numbers_come_in_their_unit) {
    static const char *const one[] = {"ACGTTGCATT"};
    gw_model *model = fixture_model(LABELS, 0);
    gw_numbers *numbers = &model->config.numbers;
    const int64_t length = 10;
    float value[2][LABELS], z[2][LABELS];
    model->config.problem = GW_PROBLEM_REGRESSION;
    numbers->mean = gw_alloc(LABELS, sizeof(double));
    numbers->deviation = gw_alloc(LABELS, sizeof(double));
    for (int l = 0; l < LABELS; l++) numbers->mean[l] = 10 * l, numbers->deviation[l] = 2 + l;
    for (int counts = 0; counts < 2; counts++) {
        if (counts) numbers->loss = GW_NUMBER_LOSS_POISSON;
        for (int both = 0; both < 2; both++) {
            gw_label_predictor *predictor;
            const gw_label_predictor_options options = {.both_strands = both};
            cr_assert_eq(gw_label_predictor_new(model, &options, &predictor), GW_OK, "%s", gw_message());
            cr_assert_eq(gw_label_predictor_run(predictor, one, &length, 1, value[both], z[both]), GW_OK);
            const float *own = gw_label_predictor_outputs(predictor);
            for (int l = 0; l < LABELS; l++) {
                double want = 0;
                for (int s = 0; s <= both; s++) {
                    const double logit = (double)own[s * LABELS + l];
                    want += (numbers->mean[l] + numbers->deviation[l] * (counts ? exp(logit) : logit)) / (both + 1);
                }
                cr_expect(fabs((double)value[both][l] - want) < 1e-5 * (1 + fabs(want)), "label %d: %g, expected %g", l,
                          (double)value[both][l], want);
            }
            gw_label_predictor_free(predictor);
        }
        cr_expect_neq(value[0][0], value[1][0], "strands are the same");
    }
    gw_model_free(model);
}
