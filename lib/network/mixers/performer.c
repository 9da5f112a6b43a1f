// SPDX-License-Identifier: MIT
// performer[:M]: softmax attention estimated by M positive orthogonal random features, in time linear in the tokens
// (Choromanski et al., Rethinking Attention with Performers, 2021). causal: tokens up to the query's. The seed draws
// the features; redraw:N draws new ones every N steps of training. Without training the first draw is used. It has the
// tensors of attention.
#include "network/mixers/performer.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/attention.h"
#include "nn/layers.h"

#include <math.h>
#include <stdlib.h>

enum { FEATURES, CAUSAL, REDRAW, SEED };
static const gw_mixer_word words[] = {
    [FEATURES] = {"performer", .usual = 256, .low = 1, .high = 1 << 16},
    [CAUSAL] = {"causal"},
    [REDRAW] = {"redraw", .usual = 1000, .low = 1, .high = INT32_MAX},
    [SEED] = {"seed", .usual = -1, .high = INT64_MAX, .drawn = true},
    {0},
};

static double product(const float *a, const float *b, int64_t size) {
    double sum = 0;
    for (int64_t i = 0; i < size; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void scale(float *a, double factor, int64_t size) {
    for (int64_t i = 0; i < size; i++) a[i] = (float)(factor * (double)a[i]);
}

// Makes row `count` orthogonal to those before it, of length 1; twice, since once leaves what rounding left.
static void orthogonalise(float *rows, int64_t count, int64_t size) {
    float *row = rows + count * size;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < count; i++) {
            const double along = product(row, rows + i * size, size);
            for (int64_t d = 0; d < size; d++) row[d] -= (float)(along * (double)rows[i * size + d]);
        }
        scale(row, 1 / sqrt(product(row, row, size)), size);
    }
}

void gw_random_features_draw(const gw_random_features *features, int layer, int64_t draw, float *weights) {
    const int64_t size = features->size;
    gw_random random = gw_random_at(features->seed, GW_SITE_FEATURES, (uint64_t)draw, (uint32_t)layer);
    for (int64_t f = 0; f < features->features; f++) {
        for (int64_t d = 0; d < size; d++) weights[f * size + d] = gw_random_normal(&random);
        orthogonalise(weights + (f - f % size) * size, f % size, size);
    }
    for (int64_t f = 0; f < features->features; f++) {
        double square = 0;
        for (int64_t d = 0; d < size; d++) {
            const double value = (double)gw_random_normal(&random);
            square += value * value;
        }
        scale(weights + f * size, sqrt(square / sqrt((double)size)), size);
    }
}

typedef struct {
    const gw_random_features *features;
    int layer;
} draw_arguments;

static gw_status draw_forward(const gw_run *run, const gw_step *step) {
    const draw_arguments *a = step->arguments;
    const gw_random_features *f = a->features;
    const int64_t draw = run->plan->training && f->redraw > 0 ? run->batch->step / f->redraw : 0;
    if (f->drawn[a->layer] == draw) return GW_OK;
    gw_random_features_draw(f, a->layer, draw, f->weights[a->layer].host);
    GW_TRY(gw_mirror_to_device(&f->weights[a->layer])); // which fails where launches are recorded: then again
    f->drawn[a->layer] = draw;
    return GW_OK;
}

static gw_status draw_backward(const gw_run *run, const gw_step *step) {
    (void)run, (void)step;
    return GW_OK;
}

static const gw_plan_op draw_op = {.name = "draw features", .forward = draw_forward, .backward = draw_backward};

// Inputs: projected, in.
typedef struct {
    int heads;
    bool of_sequence;
} exp_arguments;

static gw_exp_features_args exp_args(const gw_run *run, const gw_step *step) {
    const exp_arguments *a = step->arguments;
    const gw_tensor projected = step->in[0], in = step->in[1], out = step->out[0];
    const gw_rows *rows = gw_run_inputs(run, in.rows);
    const int64_t size = in.width / a->heads;
    return (gw_exp_features_args){.sequences = rows->sequences,
                                  .heads = a->heads,
                                  .features = projected.width / a->heads,
                                  .size = size,
                                  .half = (float)(0.5 / sqrt((double)size)),
                                  .of_sequence = a->of_sequence,
                                  .start = rows->start,
                                  .in = gw_value(run, in),
                                  .projected = gw_value(run, projected),
                                  .out = gw_value(run, out),
                                  .out_gradient = gw_gradient(run, out),
                                  .in_gradient = gw_gradient(run, in),
                                  .projected_gradient = gw_gradient(run, projected)};
}

GW_STEP_FUNCTIONS(exp, exp_features)

static const gw_plan_op exp_op = {.name = "exp_features",
                                  .forward = exp_forward,
                                  .backward = exp_backward,
                                  .must_be_in_place = true,
                                  .reads_in = true,
                                  .reads_out = true};

// Features of queries or keys [rows][heads D] as linear attention takes them, [rows][heads M]. Those of keys have one
// factor for all of a sequence, those of queries one a row.
static gw_tensor features_of(gw_plan *plan, const gw_random_features *features, int layer, gw_tensor in,
                             bool of_sequence) {
    const int heads = (int)(in.width / features->size);
    const exp_arguments arguments = {heads, of_sequence};
    const gw_weight weight = {features->weights[layer].device, NULL}, none = {NULL, NULL};
    const gw_tensor projected = gw_plan_head_linear(plan, in, weight, none, heads, true, features->features);
    gw_plan_needs(plan, GW_OP_exp_features);
    if (plan->training) gw_plan_needs(plan, GW_OP_exp_features_backward);
    return gw_plan_append(plan, &exp_op, &arguments, sizeof arguments, (gw_tensor[]){projected, in}, 2, in.rows,
                          projected.width);
}

static void free_features(void *mixing) {
    gw_random_features *features = mixing;
    for (int l = 0; features->weights && l < features->layers; l++) gw_mirror_free(&features->weights[l]);
    free(features->weights);
    free(features->drawn);
    free(features);
}

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    gw_random_features *features = gw_alloc(1, sizeof *features);
    if (!features) return GW_ERR_MEMORY;
    *features = (gw_random_features){.layers = (int)config->layers,
                                     .features = config->mixer_number[FEATURES],
                                     .size = config->width / config->heads,
                                     .seed = (uint64_t)config->mixer_number[SEED],
                                     .redraw = config->mixer_number[REDRAW]};
    network->mixing = features;
    features->weights = gw_alloc(features->layers, sizeof *features->weights);
    features->drawn = gw_alloc(features->layers, sizeof *features->drawn);
    if (!features->weights || !features->drawn) return GW_ERR_MEMORY;
    const int64_t bytes = features->features * features->size * (int64_t)sizeof(float);
    for (int l = 0; l < features->layers; l++) {
        GW_TRY(gw_mirror_make(&features->weights[l], network->model->parameters.mirror.kernels, NULL, NULL, bytes));
        features->drawn[l] = -1;
    }
    return GW_OK;
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const gw_config *config = b->config;
    if (b->lists) return value;
    const draw_arguments arguments = {b->network->mixing, layer};
    gw_plan_append(b->plan, &draw_op, &arguments, sizeof arguments, NULL, 0, query.rows, 0);
    query = features_of(b->plan, arguments.features, layer, query, false);
    key = features_of(b->plan, arguments.features, layer, key, true);
    return gw_plan_linear_attention(b->plan, query, key, value, (int)config->heads, config->mixer_number[CAUSAL] > 0);
}

const gw_mixer_row gw_mixer_performer = {
    .words = words,
    .no_graph = "a Performer has no graph: every token reads sums over all of its sequence",
    .make = make,
    .free = free_features,
    .describe = describe,
};
