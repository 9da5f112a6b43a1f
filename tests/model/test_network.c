// SPDX-License-Identifier: MIT
// Whole networks: outputs and gradients against the double reference, and what must not depend on the batch.
#include "base/parallel.h"
#include "fixtures.h"
#include "gradient_check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t dropout_seed = 11; // of fixture_network()

static void check_fixture(int64_t labels, double dropout) {
    gw_model *model = fixture_model(labels, dropout);
    gw_network *network = fixture_network(model, true);
    gw_batch batch = fixture_batch();
    if (labels > 0) batch.of[GW_ROWS_MASKED].count = 0;
    check_gradients(labels > 0 ? "classifier" : "pretraining", model, network, &batch, dropout_seed, NULL);
    gw_network_free(network);
    gw_model_free(model);
}

Test(network, gradients_of_pretraining) {
    check_fixture(0, 0);
}

Test(network, gradients_of_pretraining_with_dropout) {
    check_fixture(0, 0.25);
}

Test(network, gradients_of_a_classifier) {
    check_fixture(FIXTURE_LABELS, 0);
}

Test(network, gradients_of_a_classifier_with_dropout) {
    check_fixture(FIXTURE_LABELS, 0.25);
}

Test(network, hidden_states_are_those_of_the_reference) {
    gw_model *model = fixture_model(0, 0.1);
    gw_network *network = fixture_network(model, false); // no dropout in effect
    const gw_batch batch = fixture_batch();
    check_forward(network, &batch);
    model->config.dropout = 0;
    double *weight = check_double_weights(model), *hidden = calloc(FIXTURE_TOKENS * 16, sizeof *hidden), worst = 0;
    reference_loss(model, weight, &batch, 0, check_scales, &(reference_outputs){.hidden = hidden});
    for (int i = 0; i < FIXTURE_TOKENS * 16; i++)
        worst = fmax(worst, fabs((double)gw_network_hidden(network)[i] - hidden[i]));
    cr_expect(worst < 5e-6, "largest difference %g", worst);
    free(weight);
    free(hidden);
    gw_network_free(network);
    gw_model_free(model);
}

Test(network, counts_only_rows_with_labels) {
    gw_model *model = fixture_model(0, 0);
    gw_network *network = fixture_network(model, false);
    gw_batch batch = fixture_batch();
    gw_losses losses = check_forward(network, &batch);
    const gw_loss_sum *masked = &losses.of[GW_ROWS_MASKED], *pairs = &losses.of[GW_ROWS_FIRST];
    cr_expect_eq(masked->count, FIXTURE_MASKED - 1);
    cr_expect_eq(pairs->count, 2);
    cr_expect_eq(losses.of[GW_ROWS_TOKENS].count, 0);
    int right = 0;
    for (int i = 0; i < FIXTURE_MASKED; i++) {
        const float *logits = gw_network_output(network, GW_ROWS_MASKED) + (ptrdiff_t)i * model->config.vocabulary;
        int best = 0;
        for (int v = 1; v < model->config.vocabulary; v++)
            if (logits[v] > logits[best]) best = v;
        right += best == batch.of[GW_ROWS_MASKED].label[i];
    }
    cr_expect_eq(masked->right, right);
    batch.of[GW_ROWS_MASKED].label = batch.of[GW_ROWS_FIRST].label = NULL;
    losses = check_forward(network, &batch);
    cr_expect(masked->count == 0 && pairs->count == 0 && masked->loss == 0 && pairs->loss == 0);
    gw_network_free(network);
    gw_model_free(model);

    model = fixture_model(FIXTURE_LABELS, 0);
    network = fixture_network(model, false);
    batch = fixture_batch();
    batch.of[GW_ROWS_MASKED].count = 0;
    cr_expect_eq(check_forward(network, &batch).of[GW_ROWS_FIRST].count, FIXTURE_SEQUENCES * FIXTURE_LABELS - 2);
    gw_network_free(network);
    gw_model_free(model);
}

Test(network, a_sequence_alone_gives_the_same) {
    gw_model *model = fixture_model(0, 0);
    gw_network *together = fixture_network(model, false), *alone = fixture_network(model, false);
    const gw_batch batch = fixture_batch();
    check_forward(together, &batch);
    for (int s = 0; s < FIXTURE_SEQUENCES; s++) {
        int64_t start[FIXTURE_SEQUENCES + 1];
        int32_t rows[FIXTURE_MASKED];
        const gw_batch part = fixture_part(s, s + 1, start, rows);
        check_forward(alone, &part);
        const float *here = gw_network_hidden(alone),
                    *there = gw_network_hidden(together) + batch.of[GW_ROWS_TOKENS].start[s] * 16;
        float worst = 0; // of values with a deviation of about 1
        for (int64_t i = 0; i < start[1] * 16; i++) worst = fmaxf(worst, fabsf(here[i] - there[i]));
        cr_expect(worst <= 1e-6f, "sequence %d differs by %g", s, (double)worst);
    }
    gw_network_free(together);
    gw_network_free(alone);
    gw_model_free(model);
}

Test(network, training_and_inference_networks_agree_bit_for_bit) {
    gw_model *model = fixture_model(0, 0);
    gw_network *training = fixture_network(model, true), *inference = fixture_network(model, false);
    const gw_batch batch = fixture_batch();
    check_forward(training, &batch);
    check_forward(inference, &batch);
    cr_expect_eq(memcmp(gw_network_hidden(training), gw_network_hidden(inference), FIXTURE_TOKENS * 16 * sizeof(float)),
                 0);
    cr_expect_eq(memcmp(gw_network_output(training, GW_ROWS_MASKED), gw_network_output(inference, GW_ROWS_MASKED),
                        FIXTURE_MASKED * 10 * sizeof(float)),
                 0);
    cr_expect_eq(memcmp(gw_network_output(training, GW_ROWS_FIRST), gw_network_output(inference, GW_ROWS_FIRST),
                        FIXTURE_SEQUENCES * 2 * sizeof(float)),
                 0);
    gw_network_free(training);
    gw_network_free(inference);
    gw_model_free(model);
}

// Gradients of the whole batch in [0], of its two micro-batches in [1].
static void split_gradients(int64_t labels, gw_model *model, gw_network *networks[2]) {
    gw_batch whole = fixture_batch();
    if (labels > 0) whole.of[GW_ROWS_MASKED].count = 0;
    for (int n = 0; n < 2; n++) networks[n] = fixture_network(model, true);
    check_forward(networks[0], &whole);
    check_backward(networks[0]);
    for (int part = 0; part < 2; part++) {
        int64_t start[FIXTURE_SEQUENCES + 1];
        int32_t rows[FIXTURE_MASKED];
        gw_batch batch = fixture_part(part == 0 ? 0 : 1, part == 0 ? 1 : FIXTURE_SEQUENCES, start, rows);
        if (labels > 0) batch.of[GW_ROWS_MASKED].count = 0;
        check_forward(networks[1], &batch);
        check_backward(networks[1]);
    }
}

static void check_split(int64_t labels) {
    gw_model *model = fixture_model(labels, 0.25);
    gw_network *networks[2];
    split_gradients(labels, model, networks);
    const int64_t floats = model->parameters.floats;
    float *difference = gw_network_gradient(networks[1]);
    for (int64_t i = 0; i < floats; i++) difference[i] -= gw_network_gradient(networks[0])[i];
    const double whole = check_norm(gw_network_gradient(networks[0]), floats);
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        const double found = check_norm(difference + parameter->offset, parameter->count);
        cr_expect(found <= 5e-7 * whole, "%s differs by %g, all gradients are %g", parameter->name, found, whole);
    }
    gw_network_free(networks[0]);
    gw_network_free(networks[1]);
    gw_model_free(model);
}

Test(network, micro_batches_draw_the_same_dropout) {
    check_split(0);
    check_split(FIXTURE_LABELS);
}

Test(network, thread_counts_give_the_same_bits) {
    gw_model *model = fixture_model(0, 0.25);
    const gw_batch batch = fixture_batch();
    float *gradients[2];
    for (int n = 0; n < 2; n++) {
        gw_set_threads(n == 0 ? 3 : 1);
        gw_network *network = fixture_network(model, true);
        check_forward(network, &batch);
        check_backward(network);
        gradients[n] = malloc((size_t)model->parameters.floats * sizeof(float));
        memcpy(gradients[n], gw_network_gradient(network), (size_t)model->parameters.floats * sizeof(float));
        gw_network_free(network);
    }
    cr_expect_eq(memcmp(gradients[0], gradients[1], (size_t)model->parameters.floats * sizeof(float)), 0);
    free(gradients[0]);
    free(gradients[1]);
    gw_model_free(model);
}

static void expect_refused(gw_network *network, const gw_batch *batch, const char *text) {
    cr_assert_eq(gw_network_forward(network, batch, NULL), GW_ERR_RANGE);
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
}

Test(network, batches_that_do_not_fit_are_refused) {
    gw_model *model = fixture_model(0, 0);
    gw_network *network = fixture_network(model, false);
    const gw_batch good = fixture_batch();
    int32_t tokens[FIXTURE_TOKENS] = {0}, rows[FIXTURE_MASKED] = {0};
    int64_t long_start[] = {0, 129}, much_start[] = {0, 100, 200, 204}, empty_start[] = {0, 0};

    gw_batch batch = good;
    tokens[202] = 10;
    batch.of[GW_ROWS_TOKENS].token = tokens;
    expect_refused(network, &batch, "token 10");
    batch = good;
    rows[4] = FIXTURE_TOKENS;
    batch.of[GW_ROWS_MASKED].row = rows;
    expect_refused(network, &batch, "masked row 203");
    batch = good;
    batch.of[GW_ROWS_TOKENS].start = long_start;
    batch.of[GW_ROWS_TOKENS].sequences = 1;
    expect_refused(network, &batch, "129 tokens; the model has 128 positions");
    batch.of[GW_ROWS_TOKENS].start = empty_start;
    expect_refused(network, &batch, "a sequence of 0 tokens");
    batch = good;
    batch.of[GW_ROWS_TOKENS].start = much_start;
    expect_refused(network, &batch, "204 tokens, the network was made for 203");
    batch = good;
    batch.of[GW_ROWS_MASKED].count = FIXTURE_MASKED + 1;
    expect_refused(network, &batch, "10 masked tokens");
    gw_network_free(network);
    gw_model_free(model);
}

// Threads beyond those that a network has scratch memory for, whichever step comes first: packed linear layers too.
Test(network, more_threads_than_at_its_making_are_refused) {
    for (int fixed = 0; fixed < 2; fixed++) {
        gw_model *model = fixture_model(0, 0);
        gw_set_threads(1);
        if (fixed) cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
        gw_network *network = fixture_network(model, false);
        const gw_batch batch = fixture_batch();
        gw_set_threads(2);
        expect_refused(network, &batch, "made for 1 threads, and 2 are set now");
        gw_set_threads(1);
        cr_expect_eq(gw_network_forward(network, &batch, NULL), GW_OK);
        gw_network_free(network);
        gw_model_free(model);
    }
}

Test(network, inference_keeps_a_few_activations_only) {
    gw_config config = fixture_config(0, 0.1);
    int64_t bytes[2];
    for (int n = 0; n < 2; n++) {
        gw_tokenizer *tokenizer;
        gw_model *model;
        gw_network *network;
        config.layers = n == 0 ? 2 : 12;
        cr_assert_eq(gw_tokenizer_letters(&tokenizer), GW_OK);
        cr_assert_eq(gw_model_new(&config, tokenizer, 1, &model), GW_OK);
        const gw_network_options options = {.tokens = 4096, .sequences = 64};
        cr_assert_eq(gw_network_new(model, &options, &network), GW_OK);
        bytes[n] = gw_network_bytes(network);
        gw_network_free(network);
        gw_model_free(model);
    }
    cr_expect(bytes[1] - bytes[0] < 10 * 16384, "ten more layers take %lld bytes more",
              (long long)(bytes[1] - bytes[0]));
    gw_config_free(&config);
}

// Logits of the rows that a head reads are the same bits whether or not the last layer makes the others.
static void check_read(int64_t labels, gw_output_rows output_rows, bool before, bool fixed) {
    gw_config config = fixture_config(labels, 0);
    config.pre_norm = config.last_norm = before;
    gw_model *model = fixture_model_of(&config);
    if (fixed) cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
    gw_batch batch = fixture_batch();
    if (labels > 0) batch.of[GW_ROWS_MASKED].count = 0;
    gw_network *network[2];
    for (int n = 0; n < 2; n++) {
        const gw_network_options options = {.tokens = FIXTURE_TOKENS,
                                            .sequences = FIXTURE_SEQUENCES,
                                            .masked = batch.of[GW_ROWS_MASKED].count,
                                            .output_rows = n == 0 ? GW_OUTPUT_ALL : output_rows};
        cr_assert_eq(gw_network_new(model, &options, &network[n]), GW_OK, "%s", gw_message());
        check_forward(network[n], &batch);
    }
    const int64_t width = config.width, vocabulary = config.vocabulary;
    const float *all = gw_network_hidden(network[0]), *some = gw_network_hidden(network[1]);
    for (int s = 0; output_rows == GW_OUTPUT_FIRST && s < FIXTURE_SEQUENCES; s++)
        cr_expect_arr_eq(some + s * width, all + batch.of[GW_ROWS_TOKENS].start[s] * width,
                         (size_t)width * sizeof *all);
    for (int m = 0; output_rows == GW_OUTPUT_MASKED && m < batch.of[GW_ROWS_MASKED].count; m++)
        cr_expect_arr_eq(some + m * width, all + batch.of[GW_ROWS_MASKED].row[m] * width, (size_t)width * sizeof *all);
    if (labels > 0)
        cr_expect_arr_eq(gw_network_output(network[1], GW_ROWS_FIRST), gw_network_output(network[0], GW_ROWS_FIRST),
                         (size_t)(FIXTURE_SEQUENCES * labels) * sizeof *all);
    else if (output_rows == GW_OUTPUT_MASKED)
        cr_expect_arr_eq(gw_network_output(network[1], GW_ROWS_MASKED), gw_network_output(network[0], GW_ROWS_MASKED),
                         (size_t)(batch.of[GW_ROWS_MASKED].count * vocabulary) * sizeof *all);
    for (int n = 0; n < 2; n++) gw_network_free(network[n]);
    gw_model_free(model);
    gw_config_free(&config);
}

Test(network, rows_that_no_head_reads_change_nothing) {
    for (int i = 0; i < 4; i++) {
        const bool before = i & 1, fixed = i & 2;
        check_read(FIXTURE_LABELS, GW_OUTPUT_FIRST, before, fixed);
        check_read(0, GW_OUTPUT_MASKED, before, fixed);
    }
}

// Root mean square of a - b by that of b.
static double distance(const float *a, const float *b, int64_t count) {
    double difference = 0, size = 0;
    for (int64_t i = 0; i < count; i++) {
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        size += (double)b[i] * b[i];
    }
    return sqrt(difference / size);
}

// Packed weights give what ops one by one give, in f32 but for the order of sums, in bf16 but for its rounding.
static void check_packed(const gw_config *config, gw_output_rows output_rows, gw_precision precision, double limit) {
    gw_model *model = fixture_model_of(config);
    const gw_network_options options = {
        .tokens = FIXTURE_TOKENS, .sequences = FIXTURE_SEQUENCES, .masked = FIXTURE_MASKED, .output_rows = output_rows};
    const gw_batch batch = fixture_batch();
    gw_network *network[2];
    for (int n = 0; n < 2; n++) {
        if (n == 1) cr_assert_eq(gw_model_freeze(model, precision), GW_OK, "%s", gw_message());
        cr_assert_eq(gw_network_new(model, &options, &network[n]), GW_OK, "%s", gw_message());
        check_forward(network[n], &batch);
    }
    const int64_t rows = output_rows == GW_OUTPUT_ALL ? FIXTURE_TOKENS : batch.of[GW_ROWS_MASKED].count;
    const double error = distance(gw_network_hidden(network[1]), gw_network_hidden(network[0]), rows * config->width);
    cr_expect(error < limit, "pre_norm %d, rotary %d, precision %d: %g", config->pre_norm, (int)config->rotary,
              (int)precision, error);
    for (int n = 0; n < 2; n++) gw_network_free(network[n]);
    gw_model_free(model);
}

Test(network, packed_weights_give_what_ops_one_by_one_give) {
    gw_config config = fixture_config(0, 0);
    for (int i = 0; i < 8; i++) {
        config.pre_norm = config.last_norm = i & 1;
        config.rotary = i & 2 ? 4 : 0;
        config.activation = i & 2 ? GW_ACTIVATION_GELU_EXACT : GW_ACTIVATION_GELU;
        const gw_output_rows output_rows = i & 4 ? GW_OUTPUT_MASKED : GW_OUTPUT_ALL;
        check_packed(&config, output_rows, GW_F32, 1e-6);
        if (gw_has_bf16()) check_packed(&config, output_rows, GW_BF16, 0.02);
    }
    gw_config_free(&config);
}

Test(network, a_head_needs_the_rows_that_it_reads) {
    gw_model *pretraining = fixture_model(0, 0), *classifier = fixture_model(FIXTURE_LABELS, 0);
    gw_network *network;
    const gw_network_options common = {.tokens = 128, .sequences = 2};
    gw_network_options options = common;
    options.output_rows = GW_OUTPUT_FIRST, options.masked = 4;
    cr_expect_eq(gw_network_new(pretraining, &options, &network), GW_ERR_UNSUPPORTED);
    options.output_rows = GW_OUTPUT_MASKED, options.nsp_head = true;
    cr_expect_eq(gw_network_new(pretraining, &options, &network), GW_ERR_UNSUPPORTED);
    options = common;
    options.output_rows = GW_OUTPUT_MASKED;
    cr_expect_eq(gw_network_new(classifier, &options, &network), GW_ERR_UNSUPPORTED);
    options.output_rows = GW_OUTPUT_FIRST, options.training = true;
    cr_expect_eq(gw_network_new(classifier, &options, &network), GW_ERR_UNSUPPORTED);
    gw_model_free(pretraining);
    gw_model_free(classifier);
}
