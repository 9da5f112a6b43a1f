// SPDX-License-Identifier: MIT
// Steps of attention over hashed graphs: keys of one length, and attention, which makes the graphs.
#include "base/memory.h"
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/hashed_attention.h"
#include "nn/token_attention.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    gw_layer_graphs all;
    gw_hashed_memory *memory; // of each
} layer_graphs;

struct gw_hashed_graphs {
    gw_hashed_options options;
    layer_graphs *layer;     // [layers]
    gw_mirror ones;          // [size], by which keys are weighed
    gw_host_numbers vectors; // of the layer that runs
};

gw_status gw_hashed_graphs_new(const gw_hashed_options *options, const gw_backend *kernels, gw_hashed_graphs **out) {
    gw_hashed_graphs *graphs = gw_alloc(1, sizeof *graphs);
    *out = NULL;
    if (!graphs) return GW_ERR_MEMORY;
    graphs->options = *options;
    graphs->layer = gw_alloc(options->layers, sizeof *graphs->layer);
    gw_status status = graphs->layer ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK)
        status = gw_mirror_make(&graphs->ones, kernels, NULL, NULL, options->size * (int64_t)sizeof(float));
    for (int64_t d = 0; status == GW_OK && d < options->size; d++) ((float *)graphs->ones.host)[d] = 1;
    if (status == GW_OK) status = gw_mirror_to_device(&graphs->ones);
    if (status == GW_OK) *out = graphs;
    else gw_hashed_graphs_free(graphs);
    return status;
}

static void free_layer(layer_graphs *layer) {
    for (int64_t g = 0; layer->memory && g < layer->all.capacity; g++) gw_hashed_memory_free(&layer->memory[g]);
    free(layer->memory);
    gw_layer_graphs_free(&layer->all);
}

void gw_hashed_graphs_free(gw_hashed_graphs *graphs) {
    if (!graphs) return;
    for (int l = 0; graphs->layer && l < graphs->options.layers; l++) free_layer(&graphs->layer[l]);
    gw_mirror_free(&graphs->ones);
    gw_host_numbers_free(&graphs->vectors);
    free(graphs->layer);
    free(graphs);
}

const gw_token_graph *gw_hashed_graphs_graph(const gw_hashed_graphs *graphs, int layer, int head) {
    return &graphs->layer[layer].all.graph[head];
}

// Keys: x / sqrt(mean of squares of a head), RMS norm of heads whose weights are ones, which have no gradient: what is
// added for them goes to `unused` [size]. Kept: as layer_norm does.
typedef struct {
    const gw_hashed_graphs *graphs;
    float *unused;
} unit_arguments;

static gw_layer_norm_args unit_arguments_of(const gw_run *run, const gw_step *step) {
    const unit_arguments *a = step->arguments;
    const gw_hashed_options *o = &a->graphs->options;
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

static gw_status unit_forward(const gw_run *run, const gw_step *step) {
    const gw_layer_norm_args args = unit_arguments_of(run, step);
    return run->kernels->layer_norm(&args);
}

static gw_status unit_backward(const gw_run *run, const gw_step *step) {
    const gw_layer_norm_args args = unit_arguments_of(run, step);
    return run->kernels->layer_norm_backward(&args);
}

static void size_unit_scratch(gw_plan *plan, gw_step *step) {
    const gw_hashed_options *o = &((const unit_arguments *)step->arguments)->graphs->options;
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
    gw_hashed_graphs *graphs;
} attention_arguments;
enum { QUERY, KEY, VALUE, INPUTS };

typedef struct {
    const gw_run *run;
    const gw_step *step;
} hashing;

static gw_hashing hashing_of(const gw_run *run, const gw_step *step, int64_t s, int head) {
    const attention_arguments *a = step->arguments;
    const gw_hashed_options *o = &a->graphs->options;
    const gw_tensor query = step->in[QUERY];
    const int64_t *start = run->batch->of[query.rows].start;
    const bool training = run->plan->training;
    return (gw_hashing){.tokens = start[s + 1] - start[s],
                        .size = o->size,
                        .vector = a->graphs->vectors.number + start[s] * query.width + head * o->size,
                        .stride = query.width,
                        .chunk = o->chunk,
                        .rounds = o->rounds,
                        .causal = o->causal,
                        .seed = training ? run->seed : o->seed,
                        .draw = training ? run->batch->step : 0,
                        .place = (uint32_t)(a->layer * o->heads + head)};
}

static gw_status make_graph(void *context, int64_t g, int thread) {
    const hashing *h = context;
    const attention_arguments *a = h->step->arguments;
    const int heads = a->graphs->options.heads;
    layer_graphs *layer = &a->graphs->layer[a->layer];
    const gw_hashing of = hashing_of(h->run, h->step, g / heads, (int)(g % heads));
    (void)thread;
    return gw_hashed_graph(&of, &layer->memory[g], &layer->all.graph[g]);
}

static gw_status read_graphs(const gw_run *run, const gw_step *step) {
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
    return GW_OK;
}

// Keys are as long as the root of D.
static gw_token_attention_args attention_arguments_of(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_hashed_options *o = &a->graphs->options;
    gw_token_attention_args args = gw_token_attention_of(run, step, o->heads);
    args.sequences = (int)run->batch->of[step->in[QUERY].rows].sequences;
    args.sequence = a->graphs->layer[a->layer].all.sequence;
    args.scale = (float)(1 / (double)o->size);
    return args;
}

static gw_status attention_forward(const gw_run *run, const gw_step *step) {
    GW_TRY(read_graphs(run, step));
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

static gw_status make_layer(layer_graphs *layer, const gw_backend *kernels, int64_t sequences, int heads) {
    GW_TRY(gw_layer_graphs_make(&layer->all, kernels, sequences, heads));
    layer->memory = gw_alloc(layer->all.capacity, sizeof *layer->memory);
    return layer->memory ? GW_OK : GW_ERR_MEMORY;
}

gw_tensor gw_plan_hashed_attention(gw_plan *plan, gw_tensor shared, gw_tensor value, int layer,
                                   gw_hashed_graphs *graphs) {
    const gw_hashed_options *o = &graphs->options;
    if (plan->status == GW_OK)
        plan->status =
            make_layer(&graphs->layer[layer], plan->kernels, plan->rows[shared.rows].most_sequences, o->heads);
    const unit_arguments unit = {graphs, plan->training ? gw_plan_memory(plan, o->size, sizeof(float)) : NULL};
    const gw_tensor key = gw_plan_append(plan, &unit_op, &unit, sizeof unit, &shared, 1, shared.rows, shared.width);
    const attention_arguments arguments = {layer, graphs};
    return gw_plan_append(plan, &attention_op, &arguments, sizeof arguments, (gw_tensor[]){shared, key, value}, INPUTS,
                          shared.rows, value.width);
}

// reformer[:CHUNK[xROUNDS]]: attention of tokens to those that hashing puts beside them (Kitaev et al., Reformer, 2020;
// nn/hashed_attention.h). Queries and keys are one vector, which the key's layer makes: there is no query's. causal: of
// tokens up to the query's. The seed is that of a model that is only run; training draws anew each step.

enum { CHUNK, ROUNDS, CAUSAL, SEED };
static const gw_mixer_word words[] = {
    [CHUNK] = {"reformer", .usual = 64, .low = 1, .high = 1 << 16},
    [ROUNDS] = {"rounds", .mark = 'x', .usual = 2, .low = 1, .high = 64},
    [CAUSAL] = {"causal"},
    [SEED] = {"seed", .usual = -1, .high = INT64_MAX, .drawn = true},
    {0},
};

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_hashed_options options = {.layers = (int)config->layers,
                                       .heads = (int)config->heads,
                                       .size = config->width / config->heads,
                                       .chunk = config->mixer_number[CHUNK],
                                       .rounds = config->mixer_number[ROUNDS],
                                       .causal = config->mixer_number[CAUSAL] > 0,
                                       .seed = (uint64_t)config->mixer_number[SEED]};
    gw_hashed_graphs *graphs;
    GW_TRY(gw_hashed_graphs_new(&options, network->model->parameters.mirror.kernels, &graphs));
    network->mixing = graphs;
    return GW_OK;
}

static void free_graphs(void *mixing) {
    gw_hashed_graphs_free(mixing);
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    (void)query;
    return b->lists ? value : gw_plan_hashed_attention(b->plan, key, value, layer, b->network->mixing);
}

static gw_drawn_graph drawn(const gw_network *network, int layer, int head) {
    return (gw_drawn_graph){.graph = gw_hashed_graphs_graph(network->mixing, layer, head), .band = -1};
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
