// SPDX-License-Identifier: MIT
// Every shape of encoder that a description can ask for: the gradient of every tensor by central differences along it.
#include "base/memory.h"
#include "base/random.h"
#include "graph/build.h"
#include "model/config_reader.h"
#include "model/transformer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 21, WIDTH = 8, FEED_FORWARD = 12, LAYERS = 2, WORDS = 6, FLOATS = 4096, TENSORS = 64 };

// Weights are handed out from one block, with their gradients at the same places of another.
typedef struct {
    gw_config config;
    gw_embedding_order order;
    gw_graph_source *graphs;
    gw_plan plan;
    double sum; // the loss
    float weight[FLOATS], gradient[FLOATS];
    int used, tensors, begin[TENSORS + 1]; // tensor t is [begin[t], begin[t + 1])
} encoder;

static gw_weight take(encoder *e, int count) {
    const gw_weight weight = {e->weight + e->used, e->gradient + e->used};
    e->used += count;
    cr_assert(e->used <= FLOATS && e->tensors < TENSORS);
    e->begin[++e->tensors] = e->used;
    return weight;
}

static gw_found_tensor find(gw_builder *b, const gw_parameter *declared) {
    return (gw_found_tensor){.weight = take(b->tensors, (int)declared->count)};
}

// The loss is the hidden states' product with fixed numbers.
static float factor(int i) {
    return (float)((i * 37) % 11 - 5) / 5;
}

static gw_status loss_forward(const gw_run *run, const gw_step *step) {
    double *sum = *(double **)step->arguments;
    *sum = 0;
    for (int i = 0; i < TOKENS * WIDTH; i++) *sum += (double)factor(i) * (double)gw_value(run, step->in[0])[i];
    return GW_OK;
}

static gw_status loss_backward(const gw_run *run, const gw_step *step) {
    for (int i = 0; i < TOKENS * WIDTH; i++) gw_gradient(run, step->in[0])[i] += factor(i);
    return GW_OK;
}

static const gw_plan_op loss_op = {.name = "loss", .forward = loss_forward, .backward = loss_backward};

static gw_tensor attend(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const encoder *e = b->tensors;
    return gw_plan_attention(b->plan, query, key, value, 2, layer, GW_F32, e->graphs);
}

static void end(gw_builder *b, gw_tensor hidden, gw_tensor beside) {
    encoder *e = b->tensors;
    double *sum = &e->sum;
    (void)beside;
    gw_plan_append(b->plan, &loss_op, &sum, sizeof sum, &hidden, 1, 0, 0);
}

static void describe(gw_plan *plan, void *context) {
    encoder *e = context;
    gw_builder b = {.config = &e->config,
                    .plan = plan,
                    .layers = LAYERS,
                    .mix = attend,
                    .end = end,
                    .picks = true,
                    .find = find,
                    .tensors = e,
                    .prefix = ""};
    gw_transformer of = gw_bert();
    of.order = e->order;
    gw_plan_stream(plan, 0, TOKENS, 1);
    gw_describe_transformer(&b, &of);
    gw_random random = gw_random_at(5, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < e->used; i++) e->weight[i] = 0.4f * gw_random_normal(&random);
}

static gw_graph_source *window_source(void) {
    const gw_pattern pattern = {.block = 4, .window = 3};
    gw_graph_source *source;
    cr_assert_eq(gw_pattern_source_new(&pattern, NULL, LAYERS, 2, TOKENS, &source), GW_OK);
    return source;
}

static encoder *make(bool pre_norm, gw_embedding_order order, bool bias, gw_graph_source *graphs) {
    encoder *e = calloc(1, sizeof *e);
    e->config = gw_config_defaults(GW_FAMILY_BERT);
    e->order = order;
    e->config.pre_norm = pre_norm;
    e->config.last_norm = false;
    e->config.head = GW_HEAD_MASKED; // which reads no pooler
    e->config.activation = GW_ACTIVATION_GELU;
    e->config.vocabulary = WORDS;
    e->config.positions = TOKENS;
    e->config.width = WIDTH;
    e->config.feed_forward = FEED_FORWARD;
    e->config.layers = LAYERS;
    e->config.heads = 2;
    e->config.bias = e->config.feed_forward_bias = bias;
    e->config.epsilon = 1e-5;
    e->config.dropout = 0.2;
    e->graphs = graphs;
    e->plan.training = true;
    cr_assert_eq(gw_plan_build(&e->plan, describe, e), GW_OK, "%s", gw_message());
    return e;
}

static gw_run make_run(void) {
    static int64_t start[] = {0, TOKENS};
    static int32_t token[TOKENS], position[TOKENS], segment[TOKENS];
    static gw_batch batch;
    for (int i = 0; i < TOKENS; i++) token[i] = i * i % WORDS, position[i] = i, segment[i] = i > 9;
    batch.of[0] = (gw_rows){
        .count = TOKENS, .sequences = 1, .start = start, .token = token, .position = position, .segment = segment};
    return (gw_run){.kernels = gw_kernels(), .batch = &batch, .seed = 9};
}

static double loss(encoder *e, const gw_run *run) {
    cr_assert_eq(gw_plan_forward(&e->plan, run), GW_OK, "%s", gw_message());
    return e->sum;
}

// (loss(w + h d) - loss(w - h d)) / 2 h, d being zero outside of a tensor.
static double slope(encoder *e, const gw_run *run, const float *direction, int tensor) {
    const double step = 8e-3;
    double sides[2];
    float saved[FLOATS];
    memcpy(saved, e->weight, sizeof saved);
    for (int side = 0; side < 2; side++) {
        for (int i = e->begin[tensor]; i < e->begin[tensor + 1]; i++)
            e->weight[i] = saved[i] + (float)(side ? -step : step) * direction[i - e->begin[tensor]];
        sides[side] = loss(e, run);
        memcpy(e->weight, saved, sizeof saved);
    }
    return (sides[0] - sides[1]) / (2 * step);
}

// Along its gradient g a tensor's slope is |g|, which tells its size; a random direction d, where it is g . d, tells
// every entry.
static void check_tensor(encoder *e, const gw_run *run, int tensor, const char *name) {
    float direction[2][FLOATS];
    double square = 0;
    const int count = e->begin[tensor + 1] - e->begin[tensor];
    const float *gradient = e->gradient + e->begin[tensor];
    gw_random random = gw_random_at(2, GW_SITE_TEST, (uint64_t)tensor, 0);
    for (int i = 0; i < count; i++) square += (double)gradient[i] * (double)gradient[i];
    for (int i = 0; i < count; i++) {
        direction[0][i] = square > 0 ? (float)((double)gradient[i] / sqrt(square)) : 0;
        direction[1][i] = 0.5f * gw_random_normal(&random);
    }
    for (int d = 0; d < 2; d++) {
        double expected = 0;
        for (int i = 0; i < count; i++) expected += (double)gradient[i] * (double)direction[d][i];
        const double found = slope(e, run, direction[d], tensor), bound = 1e-3 + 5e-4 * sqrt(square);
        cr_expect(fabs(found - expected) < bound, "%s, tensor %d: slope %g, gradient gives %g", name, tensor, found,
                  expected);
    }
}

// Runs forward, backward, and forward four times for each tensor. Returns how many there are.
static int check(bool pre_norm, gw_embedding_order order, bool bias, gw_graph_source *graphs) {
    encoder *e = make(pre_norm, order, bias, graphs);
    const gw_run run = make_run();
    char name[64];
    snprintf(name, sizeof name, "norms before %d, order %d, bias %d", (int)pre_norm, (int)order, (int)bias);
    loss(e, &run);
    cr_assert_eq(gw_plan_backward(&e->plan, &run), GW_OK, "%s", gw_message());
    for (int tensor = 0; tensor < e->tensors; tensor++) check_tensor(e, &run, tensor, name);
    const int tensors = e->tensors;
    gw_plan_free(&e->plan);
    free(e);
    return tensors;
}

Test(encoder, gradients_of_every_description) {
    gw_graph_source *source = window_source();
    for (int shape = 0; shape < 8; shape++)
        check((shape & 1) != 0, shape & 2 ? GW_NORM_THEN_DROPOUT : GW_DROPOUT_THEN_NORM, (shape & 4) == 0, source);
    gw_graph_source_free(source);
}

// ---- Graphs drawn in the plan

// Draws half of the blocks for each layer and head anew in every pass, by what a request says alone, and keeps nothing.
// `sum` tells whether the backward pass, the second one, asks with the queries and keys of the forward pass before it;
// later passes repeat those of layers below the tensor that was moved.
typedef struct {
    gw_graph_source source;
    gw_graph *graphs[2];
    double sum[LAYERS];
    int gets, same;
} drawing_source;

static void release_drawn(gw_graph_source *source) {
    drawing_source *s = (drawing_source *)source;
    for (int h = 0; h < 2; h++) {
        gw_graph_free(s->graphs[h]);
        s->graphs[h] = NULL;
    }
}

static double sum_of(const gw_graph_request *request) {
    double sum = 0;
    for (int64_t i = 0; i < request->shape.queries; i++)
        for (int64_t k = 0; k < WIDTH; k++)
            sum += (double)(request->query[i * request->query_stride + k] * request->key[i * request->key_stride + k]) *
                   factor((int)(i * WIDTH + k));
    return sum;
}

static gw_graph *draw_graph(const gw_graph_request *request, int head) {
    gw_random random = gw_random_at(request->seed, GW_SITE_TEST, (uint64_t)request->first_query << 8 | request->step,
                                    (uint32_t)(request->layer * 2 + head));
    const int64_t blocks = (request->shape.keys + 3) / 4;
    gw_block_lists lists = {.block = 4, .blocks = blocks};
    gw_graph *graph;
    for (int64_t row = 0; row < blocks; row++) {
        for (int64_t c = 0; c < blocks; c++)
            if (c == row || gw_random_below(&random, 2) == 0)
                cr_assert_eq(gw_block_lists_put(&lists, c, GW_READS_ALL), GW_OK);
        cr_assert_eq(gw_block_lists_end_row(&lists), GW_OK);
    }
    cr_assert_eq(gw_graph_build(&lists, &graph), GW_OK);
    gw_block_lists_free(&lists);
    return graph;
}

static gw_status get_drawn(gw_graph_source *source, const gw_graph_request *request, const gw_graph *const **graphs,
                           int *graph_step) {
    drawing_source *s = (drawing_source *)source;
    const double sum = sum_of(request);
    for (int h = 0; h < 2; h++) s->graphs[h] = draw_graph(request, h);
    s->same += s->gets >= LAYERS && s->gets < 2 * LAYERS && sum == s->sum[request->layer];
    s->sum[request->layer] = sum;
    s->gets++;
    *graphs = (const gw_graph *const *)s->graphs;
    *graph_step = 1;
    return GW_OK;
}

static void free_drawing(gw_graph_source *source) {
    drawing_source *s = (drawing_source *)source;
    release_drawn(source);
    free(s);
}

Test(encoder, gradients_over_graphs_drawn_in_the_plan) {
    drawing_source *s = gw_alloc(1, sizeof *s);
    s->source = (gw_graph_source){get_drawn, release_drawn, free_drawing, .block = 4};
    const int tensors = check(false, GW_NORM_THEN_DROPOUT, true, &s->source);
    cr_expect_eq(s->gets, LAYERS * (2 + 4 * tensors));
    cr_expect_eq(s->same, LAYERS, "%d of the backward pass's %d", s->same, LAYERS);
    gw_graph_source_free(&s->source);
}
