// SPDX-License-Identifier: MIT
// Compares a network's gradients with slopes of the reference along random directions.
#include "gradient_check.h"

#include "base/random.h"
#include "network/network_private.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void set_scales(float *scale) {
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) scale[rows] = (float)scale_of(rows);
}

void check_backward(gw_network *network) {
    float scale[GW_BATCH_ROWS];
    set_scales(scale);
    cr_assert_eq(gw_network_backward(network, scale), GW_OK, "%s", gw_message());
}

// Gradients of parameters as they are when they are said to change no more.
typedef struct {
    const gw_network *network;
    int64_t *last; // [parameters] actions
    float *then;   // [floats]
} finals;

static void keep_finals(void *context, int64_t actions) {
    const finals *f = context;
    const gw_parameters *parameters = &f->network->model->parameters;
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *p = &parameters->list[i];
        if (f->last[i] != actions) continue;
        cr_assert_eq(f->network->plan.kernels->to_host(f->then + p->offset, f->network->gradient + p->offset,
                                                       p->count * (int64_t)sizeof(float)),
                     GW_OK, "%s", gw_message());
    }
}

static void expect_finals(const finals *f) {
    const gw_parameters *parameters = &f->network->model->parameters;
    float *end = malloc((size_t)parameters->floats * sizeof *end);
    cr_assert_eq(f->network->plan.kernels->to_host(end, f->network->gradient, parameters->mirror.bytes), GW_OK);
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *p = &parameters->list[i];
        cr_expect(memcmp(end + p->offset, f->then + p->offset, (size_t)p->count * sizeof *end) == 0,
                  "%s changes after action %d", p->name, (int)f->last[i]);
    }
    free(end);
}

void check_finals(gw_network *network, const float *scale) {
    const gw_parameters *parameters = &network->model->parameters;
    finals f = {.network = network, .then = malloc((size_t)parameters->floats * sizeof *f.then)};
    f.last = malloc((size_t)parameters->count * sizeof *f.last);
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *p = &parameters->list[i];
        f.last[i] = gw_network_last_write(network, p->offset, p->offset + p->count);
    }
    keep_finals(&f, 0);
    gw_network_tell(network, keep_finals, &f);
    cr_assert_eq(gw_network_backward(network, scale), GW_OK, "%s", gw_message());
    gw_network_tell(network, NULL, NULL);
    expect_finals(&f);
    free(f.last);
    free(f.then);
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
    float scale[GW_BATCH_ROWS];
    set_scales(scale);
    check_finals(network, scale);
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
