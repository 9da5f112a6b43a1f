// SPDX-License-Identifier: MIT
// Compares a network's gradients with slopes of the reference along random directions.
#include "gradient_check.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

const reference_scales check_scales = {0.7, 1.3};

typedef struct {
    const char *name;
    const gw_model *model;
    const gw_batch *batch;
    uint64_t seed; // of dropout
    double floor;  // of the differences allowed
    gw_random random;
} check;

double *check_double_weights(const gw_model *model) {
    double *weight = malloc((size_t)model->parameters.floats * sizeof *weight);
    for (int64_t i = 0; i < model->parameters.floats; i++) weight[i] = (double)model->parameters.weight[i];
    return weight;
}

gw_losses check_forward(gw_network *network, const gw_batch *batch) {
    gw_losses losses;
    cr_assert_eq(gw_network_forward(network, batch, &losses), GW_OK, "%s", gw_message());
    return losses;
}

static double scale_of(int rows) {
    return rows == GW_ROWS_OWN ? check_scales.own : check_scales.label;
}

void check_backward(gw_network *network) {
    float scale[GW_BATCH_ROWS];
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) scale[rows] = (float)scale_of(rows);
    cr_assert_eq(gw_network_backward(network, scale), GW_OK, "%s", gw_message());
}

double check_norm(const float *values, int64_t count) {
    double square = 0;
    for (int64_t i = 0; i < count; i++) square += (double)values[i] * (double)values[i];
    return sqrt(square);
}

static double scaled(const gw_losses *losses) {
    double sum = 0;
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) sum += scale_of(rows) * losses->of[rows].loss;
    return sum;
}

// Whether it has ReLU, leaky or not.
static bool bends(const gw_config *config) {
    bool bends = config->activation == GW_ACTIVATION_RELU;
    for (int i = 0; i < config->stem.count; i++) bends |= gw_stem_is_unit(&config->stem.part[i]);
    return bends;
}

// d loss / d t of weight + t * direction at t = 0, by central differences of the double model. The truncation error of
// step h is of order h^2, 1e-8 here; where ReLU bends, a small step lets few values pass the bend.
static double slope(const check *c, const gw_parameter *parameter, const double *direction) {
    const double step = bends(&c->model->config) ? 1e-7 : 1e-4;
    double loss[2];
    for (int side = 0; side < 2; side++) {
        double *weight = check_double_weights(c->model);
        for (int64_t i = 0; i < parameter->count; i++)
            weight[parameter->offset + i] += (side == 0 ? step : -step) * direction[i];
        loss[side] = reference_loss(c->model, weight, c->batch, c->seed, check_scales, NULL);
        free(weight);
    }
    return (loss[0] - loss[1]) / (2 * step);
}

// One random direction tests all entries of the tensor at once; one coordinate direction tests their places.
static void check_parameter(check *c, const gw_parameter *parameter, const float *gradient) {
    double *direction = calloc((size_t)parameter->count, sizeof *direction);
    const double bound = 2e-5 * check_norm(gradient, parameter->count) + c->floor;
    for (int kind = 0; kind < 2; kind++) {
        double expected = 0;
        for (int64_t i = 0; i < parameter->count; i++)
            direction[i] = kind == 0 ? (double)gw_random_normal(&c->random) : 0;
        if (kind == 1) direction[gw_random_below(&c->random, (uint64_t)parameter->count)] = 1;
        for (int64_t i = 0; i < parameter->count; i++) expected += (double)gradient[i] * direction[i];
        const double found = slope(c, parameter, direction);
        cr_expect(fabs(found - expected) <= bound, "%s: %s: slope %.9g, gradient gives %.9g, bound %.2g", c->name,
                  parameter->name, found, expected, bound);
    }
    free(direction);
}

void check_gradients(const char *name, gw_model *model, gw_network *network, const gw_batch *batch, uint64_t seed,
                     bool (*wanted)(const gw_parameter *parameter)) {
    const gw_losses losses = check_forward(network, batch);
    double *weight = check_double_weights(model);
    const double loss = reference_loss(model, weight, batch, seed, check_scales, NULL);
    cr_expect(fabs(scaled(&losses) - loss) <= 1e-5 * loss, "%s: loss %.9g, reference %.9g", name, scaled(&losses),
              loss);
    check_backward(network);
    const float *gradient = gw_network_gradient(network);
    check c = {.name = name, .model = model, .batch = batch, .seed = seed};
    c.random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    // Key biases have gradient 0, since they shift all scores of a row alike: what is left is rounding.
    c.floor = 5e-7 * check_norm(gradient, model->parameters.floats);
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        if (!wanted || wanted(parameter)) check_parameter(&c, parameter, gradient + parameter->offset);
    }
    free(weight);
}
