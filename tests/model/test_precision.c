// SPDX-License-Identifier: MIT
// Training in bf16: gradients near those in f32; the same bits for any number of threads, in both; and the loss of a
// short training follows that in f32.
#include "base/parallel.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "run/optimiser.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Layers wide enough for bf16 products, and a decoder too.
static gw_model *wide_model(void) {
    gw_config config = fixture_config(0, 0.1);
    config.width = 64;
    config.feed_forward = 136;
    config.vocabulary = 75;
    config.initializer_range = 0.1;
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_network *network_of(gw_model *model, gw_precision precision) {
    return fixture_network_of(model, (gw_network_options){.training = true, .precision = precision});
}

static gw_network *gradients_of(gw_model *model, gw_precision precision) {
    const gw_batch batch = fixture_batch();
    gw_network *network = network_of(model, precision);
    check_forward(network, &batch);
    check_backward(network);
    return network;
}

// Biases of keys have no gradient but for rounding, since softmax does not see them: theirs is held to more of the
// rest.
static double share_of_all(const gw_parameter *p) {
    return strstr(p->name, "key.bias") ? 4e-3 : 2e-3;
}

// The root mean square of the difference of each tensor's gradient is at most `bound` of the gradient and a share of
// all gradients.
static void expect_gradients_near(double bound) {
    gw_model *model = wide_model();
    const int64_t floats = model->parameters.floats;
    gw_network *wide = gradients_of(model, GW_F32), *narrow = gradients_of(model, GW_BF16);
    const float *want = gw_network_gradient(wide), *got = gw_network_gradient(narrow);
    float *difference = calloc((size_t)floats, sizeof *difference);
    for (int64_t i = 0; i < floats; i++) difference[i] = got[i] - want[i];
    cr_expect_gt(check_norm(difference, floats), 0, "no product was of bf16");
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *p = &model->parameters.list[i];
        const double size = check_norm(want + p->offset, p->count) + share_of_all(p) * check_norm(want, floats);
        const double error = check_norm(difference + p->offset, p->count) / size;
        cr_expect_leq(error, bound, "%s: %.3g of the gradient, allowed %.3g", p->name, error, bound);
        if (getenv("GW_TEST_ERRORS")) fprintf(stderr, "%-60s %.3g\n", p->name, error);
    }
    free(difference);
    gw_network_free(wide);
    gw_network_free(narrow);
    gw_model_free(model);
}

// An operand is rounded to 8 bits, at most 2^-9 of it; two layers there and back round some twenty times.
Test(precision, gradients_of_bf16_products) {
    if (!gw_has_bf16()) cr_skip_test("no bf16 instructions");
    expect_gradients_near(0.02);
}

Test(precision, gradients_do_not_depend_on_the_threads) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        gw_model *model = wide_model();
        const size_t bytes = (size_t)model->parameters.floats * sizeof(float);
        float *first = malloc(bytes);
        for (int threads = 1; threads <= 3; threads++) {
            gw_set_threads(threads);
            gw_network *network = gradients_of(model, precision);
            if (threads == 1) memcpy(first, gw_network_gradient(network), bytes);
            cr_expect_eq(memcmp(first, gw_network_gradient(network), bytes), 0, "%d threads", threads);
            gw_network_free(network);
        }
        free(first);
        gw_model_free(model);
    }
}

static void train(gw_precision precision, int steps, double *loss) {
    gw_model *model = wide_model();
    gw_network *network = network_of(model, precision);
    const gw_optimiser_options options = gw_optimiser_defaults();
    gw_optimiser optimiser;
    cr_assert_eq(gw_optimiser_new(&optimiser, &options, &model->parameters), GW_OK);
    for (int step = 0; step < steps; step++) {
        gw_batch batch = fixture_batch();
        double norm;
        batch.step = (uint32_t)step;
        memset(gw_network_gradient(network), 0, (size_t)model->parameters.floats * sizeof(float));
        const gw_losses losses = check_forward(network, &batch);
        check_backward(network);
        cr_assert_eq(gw_optimiser_step(&optimiser, &model->parameters, gw_network_gradient(network), step, 1e-3, &norm),
                     GW_OK);
        const gw_loss_sum masked = losses.of[GW_ROWS_MASKED], pairs = losses.of[GW_ROWS_FIRST];
        loss[step] = masked.loss / (double)masked.count + pairs.loss / (double)pairs.count;
    }
    gw_optimiser_free(&optimiser);
    gw_network_free(network);
    gw_model_free(model);
}

Test(precision, loss_of_bf16_follows_f32) {
    enum { STEPS = 40 };
    double wide[STEPS], narrow[STEPS];
    if (!gw_has_bf16()) cr_skip_test("no bf16 instructions");
    train(GW_F32, STEPS, wide);
    train(GW_BF16, STEPS, narrow);
    cr_expect_lt(wide[STEPS - 1], 0.7 * wide[0]);
    for (int step = 0; step < STEPS; step++)
        cr_expect_lt(fabs(narrow[step] - wide[step]), 0.02 * wide[0], "step %d: %g, in f32 %g", step, narrow[step],
                     wide[step]);
}
