// SPDX-License-Identifier: MIT
// reformer[:CHUNK[xROUNDS]]: attention over graphs made by hashing vectors that are both queries and keys (Reformer,
// Kitaev et al., 2020). Scores are q . k / sqrt(D) with k = q / |q|, and the softmax is over the keys listed in any
// round (graph/hashed.h). The key's layer makes the vectors; there is no query layer. causal: tokens up to the query's.
// The seed is used without training; training draws again in each step. One step normalises the keys, and attention
// makes the graphs.
#include "base/memory.h"
#include "graph/hashed.h"
#include "kernels/mirror.h"
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/token_attention.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK, ROUNDS, CAUSAL, SEED };
static const gw_mixer_word words[] = {
    [CHUNK] = {"reformer", .usual = 64, .low = 1, .high = 1 << 16},
    [ROUNDS] = {"rounds", .mark = 'x', .usual = 2, .low = 1, .high = 64},
    [CAUSAL] = {"causal"},
    [SEED] = {"seed", .usual = -1, .high = INT64_MAX, .drawn = true},
    {0},
};

typedef struct {
    gw_layer_graphs all;
    gw_hashed_memory *memory; // of each
} layer_graphs;

typedef struct {
    int layers, heads;
    int64_t size, chunk, rounds;
    bool causal;
    uint64_t seed; // of a network that is only run; training draws by its own seed and the step
} hashed_options;

// Graphs of all layers, each kept from the forward to the backward pass, which outlive the plan. Their memory grows to
// the densest batch.
typedef struct {
    hashed_options options;
    layer_graphs *layer;     // [layers]
    gw_mirror ones;          // [size], by which keys are weighed
    gw_host_numbers vectors; // of the layer that runs
} hashed_graphs;

static void free_graphs(void *mixing) {
    hashed_graphs *graphs = mixing;
    for (int l = 0; graphs->layer && l < graphs->options.layers; l++) {
        layer_graphs *layer = &graphs->layer[l];
        for (int64_t g = 0; layer->memory && g < layer->all.capacity; g++) gw_hashed_memory_free(&layer->memory[g]);
        free(layer->memory);
        gw_layer_graphs_free(&layer->all);
    }
    gw_mirror_free(&graphs->ones);
    gw_host_numbers_free(&graphs->vectors);
    free(graphs->layer);
    free(graphs);
}

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    hashed_graphs *graphs = gw_alloc(1, sizeof *graphs);
    if (!graphs) return GW_ERR_MEMORY;
    network->mixing = graphs;
    graphs->options = (hashed_options){.layers = (int)config->layers,
                                       .heads = (int)config->heads,
                                       .size = config->width / config->heads,
                                       .chunk = config->mixer_number[CHUNK],
                                       .rounds = config->mixer_number[ROUNDS],
                                       .causal = config->mixer_number[CAUSAL] > 0,
                                       .seed = (uint64_t)config->mixer_number[SEED]};
    graphs->layer = gw_alloc(config->layers, sizeof *graphs->layer);
    if (!graphs->layer) return GW_ERR_MEMORY;
    const int64_t size = graphs->options.size;
    GW_TRY(gw_mirror_make(&graphs->ones, network->model->parameters.mirror.kernels, NULL, NULL,
                          size * (int64_t)sizeof(float)));
    for (int64_t d = 0; d < size; d++) ((float *)graphs->ones.host)[d] = 1;
    return gw_mirror_to_device(&graphs->ones);
}

// Keys: x / sqrt(mean of squares of a head), RMS norm of heads whose weights are ones, which have no gradient: what is
// added for them goes to `unused` [size]. Kept: as layer_norm does.
typedef struct {
    const hashed_graphs *graphs;
    float *unused;
} unit_arguments;

static gw_layer_norm_args unit_args(const gw_run *run, const gw_step *step) {
    const unit_arguments *a = step->arguments;
    const hashed_options *o = &a->graphs->options;
    const int64_t rows = gw_run_rows(run, step->in[0]) * o->heads;
    return (gw_layer_norm_args){.rows = rows,
                                .width = o->size,
                                .epsilon = 1e-12f,
                                .in = gw_value(run, step->in[0]),
                                .weight = a->graphs->ones.device,
                                .out = gw_value(run, step->out[0]),
                                .mean = step->saved,
                                .inverse_deviation = step->saved + rows,
                                .out_gradient = gw_gradient(run, step->out[0]),
                                .in_gradient = gw_gradient(run, step->in[0]),
                                .weight_gradient = a->unused,
                                .scratch = step->scratch};
}

GW_STEP_FUNCTIONS(unit, layer_norm)

static void size_unit_scratch(gw_plan *plan, gw_step *step) {
    const hashed_options *o = &((const unit_arguments *)step->arguments)->graphs->options;
    const gw_layer_norm_args most = {.rows = gw_plan_most(plan, step->in[0]) * o->heads, .width = o->size};
    step->saved_floats = 2 * most.rows;
    gw_plan_launches(plan, step, GW_OP_layer_norm, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_layer_norm_backward, &most);
}

static const gw_plan_op unit_op = {.name = "norm of heads",
                                   .forward = unit_forward,
                                   .backward = unit_backward,
                                   .size_scratch = size_unit_scratch,
                                   .reads_in = true};

// Inputs: query, key, value.
typedef struct {
    int layer;
    hashed_graphs *graphs;
} attention_arguments;
enum { QUERY, KEY, VALUE, INPUTS };

typedef struct {
    const gw_run *run;
    const gw_step *step;
} hashing;

static gw_status make_graph(void *context, int64_t g, int thread) {
    const hashing *h = context;
    const gw_run *run = h->run;
    const attention_arguments *a = h->step->arguments;
    const hashed_options *o = &a->graphs->options;
    const gw_tensor query = h->step->in[QUERY];
    const int64_t s = g / o->heads, head = g % o->heads, *start = run->batch->of[query.rows].start;
    layer_graphs *layer = &a->graphs->layer[a->layer];
    const bool training = run->plan->training;
    const gw_hashing of = {.tokens = start[s + 1] - start[s],
                           .size = o->size,
                           .vector = a->graphs->vectors.number + start[s] * query.width + head * o->size,
                           .stride = query.width,
                           .chunk = o->chunk,
                           .rounds = o->rounds,
                           .causal = o->causal,
                           .seed = training ? run->seed : o->seed,
                           .draw = training ? run->batch->step : 0,
                           .place = (uint32_t)(a->layer * o->heads + (int)head)};
    (void)thread;
    return gw_hashed_graph(&of, &layer->memory[g], &layer->all.graph[g]);
}

// Keys are as long as the root of D.
static gw_token_attention_args attention_arguments_of(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const hashed_options *o = &a->graphs->options;
    gw_token_attention_args args = gw_token_attention_of(run, step, o->heads);
    args.sequences = (int)run->batch->of[step->in[QUERY].rows].sequences;
    args.sequence = a->graphs->layer[a->layer].all.sequence;
    args.scale = (float)(1 / (double)o->size);
    return args;
}

static gw_status attention_forward(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_rows *rows = &run->batch->of[step->in[QUERY].rows];
    gw_layer_graphs *layer = &a->graphs->layer[a->layer].all;
    const int heads = a->graphs->options.heads;
    hashing h = {run, step};
    GW_TRY(gw_host_numbers_get(&a->graphs->vectors, run->kernels, gw_value(run, step->in[QUERY]),
                               gw_run_rows(run, step->in[QUERY]) * step->in[QUERY].width));
    GW_TRY(gw_graphs_make(rows->sequences * heads, make_graph, &h, "hashed"));
    GW_TRY(gw_layer_graphs_send(layer, rows->sequences * heads));
    for (int64_t s = 0; s < rows->sequences; s++)
        layer->sequence[s] = (gw_token_sequence){
            .query_begin = rows->start[s], .key_begin = rows->start[s], .graph = layer->reached + s * heads};
    const gw_token_attention_args args = attention_arguments_of(run, step);
    return run->kernels->token_attention(&args);
}

static gw_status attention_backward(const gw_run *run, const gw_step *step) {
    const gw_token_attention_args args = attention_arguments_of(run, step);
    return run->kernels->token_attention_backward(&args);
}

static void size_attention_scratch(gw_plan *plan, gw_step *step) {
    const attention_arguments *a = step->arguments;
    step->saved_floats = a->graphs->options.heads * gw_plan_most(plan, step->in[QUERY]);
    gw_plan_needs(plan, GW_OP_token_attention);
    if (plan->training) gw_plan_needs(plan, GW_OP_token_attention_backward);
}

static const gw_plan_op attention_op = {.name = "token_attention",
                                        .forward = attention_forward,
                                        .backward = attention_backward,
                                        .size_scratch = size_attention_scratch,
                                        .reads_in = true,
                                        .reads_out = true};

// Of every sequence of a stream to itself.
static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor shared, gw_tensor value) {
    (void)query;
    if (b->lists) return value;
    hashed_graphs *graphs = b->network->mixing;
    const hashed_options *o = &graphs->options;
    layer_graphs *of = &graphs->layer[layer];
    gw_plan *plan = b->plan;
    if (plan->status == GW_OK)
        plan->status = gw_layer_graphs_make(&of->all, plan->kernels, plan->rows[shared.rows].most_sequences, o->heads);
    if (plan->status == GW_OK) {
        of->memory = gw_alloc(of->all.capacity, sizeof *of->memory);
        if (!of->memory) plan->status = GW_ERR_MEMORY;
    }
    const unit_arguments unit = {graphs, plan->training ? gw_plan_memory(plan, o->size, sizeof(float)) : NULL};
    const gw_tensor key = gw_plan_append(plan, &unit_op, &unit, sizeof unit, &shared, 1, shared.rows, shared.width);
    const attention_arguments arguments = {layer, graphs};
    return gw_plan_append(plan, &attention_op, &arguments, sizeof arguments, (gw_tensor[]){shared, key, value}, INPUTS,
                          shared.rows, value.width);
}

static gw_drawn_graph drawn(const gw_network *network, int layer, int head) {
    const hashed_graphs *graphs = network->mixing;
    return (gw_drawn_graph){.graph = &graphs->layer[layer].all.graph[head], .band = -1};
}

const gw_mixer_row gw_mixer_reformer = {
    .words = words,
    .no_graph = "reformer has no graph before a model hashes its data",
    .shares_query = true,
    .make = make,
    .free = free_graphs,
    .describe = describe,
    .drawn = drawn,
};
