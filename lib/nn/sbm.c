// SPDX-License-Identifier: MIT
// Memberships from each head's own layers, the block matrix, and attention over the graphs drawn from both.
#include "nn/sbm.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "graph/sbm.h"
#include "kernels/host_kernels.h"
#include "nn/layers.h"
#include "nn/token_attention.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Not gw_activation_op, which is cheap: its result is made anew in the backward pass, and what graphs were drawn from
// has to stay.
static gw_activation_args sigmoid_args(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    return (gw_activation_args){.kind = GW_ACTIVATION_SIGMOID,
                                .count = gw_run_rows(run, in) * in.width,
                                .in = gw_value(run, in),
                                .out = gw_value(run, out),
                                .out_gradient = gw_gradient(run, out),
                                .in_gradient = gw_gradient(run, in)};
}

GW_STEP_FUNCTIONS(sigmoid, activation)

static const gw_plan_op sigmoid_op = {.name = "sigmoid",
                                      .forward = sigmoid_forward,
                                      .backward = sigmoid_backward,
                                      .in_place = true,
                                      .gradient_in_place = true,
                                      .reads_in = true};

// B of all heads, which is not a tensor of a stream: a step without inputs makes it, whose backward step runs after all
// that read it.
typedef struct {
    gw_weight clusters, block; // [heads K][D], [heads][K][K]
    int heads, count;
    int64_t size;
} block_arguments;

static gw_pair_softmax_args block_arguments_of(const gw_step *step) {
    const block_arguments *a = step->arguments;
    return (gw_pair_softmax_args){.heads = a->heads,
                                  .count = a->count,
                                  .size = (int)a->size,
                                  .in = a->clusters.value,
                                  .out = a->block.value,
                                  .out_gradient = a->block.gradient,
                                  .in_gradient = a->clusters.gradient,
                                  .scratch = step->scratch};
}

static gw_status block_forward(const gw_run *run, const gw_step *step) {
    const block_arguments *a = step->arguments;
    const gw_pair_softmax_args args = block_arguments_of(step);
    if (a->block.gradient)
        GW_TRY(run->kernels->zero(a->block.gradient, (int64_t)a->heads * a->count * a->count * (int64_t)sizeof(float)));
    return run->kernels->pair_softmax(&args);
}

static gw_status block_backward(const gw_run *run, const gw_step *step) {
    const gw_pair_softmax_args args = block_arguments_of(step);
    (void)run;
    return run->kernels->pair_softmax_backward(&args);
}

static void size_block_scratch(gw_plan *plan, gw_step *step) {
    const gw_pair_softmax_args args = block_arguments_of(step);
    gw_plan_launches(plan, step, GW_OP_pair_softmax, &args);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_pair_softmax_backward, &args);
}

static const gw_plan_op block_op = {
    .name = "pair_softmax", .forward = block_forward, .backward = block_backward, .size_scratch = size_block_scratch};

// One network for all heads where `shared`.
typedef struct {
    int heads, clusters;
    bool shared;
} sbm_size;

// Y of queries or Z of keys: [rows][heads K]
static gw_tensor memberships_of(gw_plan *plan, gw_tensor in, const gw_sbm_weights *w, sbm_size size) {
    const int64_t width = in.width / size.heads;
    const gw_weight none = {NULL, NULL};
    gw_tensor x = gw_plan_head_linear(plan, in, w->nodes.weight, w->nodes.bias, size.heads, size.shared, width);
    x = gw_plan_activation(plan, x, GW_ACTIVATION_RELU);
    x = gw_plan_head_linear(plan, x, w->nodes_last.weight, w->nodes_last.bias, size.heads, size.shared, width);
    x = gw_plan_head_linear(plan, x, w->clusters, none, size.heads, false, size.clusters);
    gw_plan_needs(plan, GW_OP_activation);
    if (plan->training) gw_plan_needs(plan, GW_OP_activation_backward);
    return gw_plan_append(plan, &sigmoid_op, NULL, 0, &x, 1, x.rows, x.width);
}

// B [heads][K][K] of heads of D, with its gradient, in memory of the plan; appended before what reads it.
static gw_weight blocks_of(gw_plan *plan, int rows, int64_t head_size, const gw_sbm_weights *w, sbm_size size) {
    const int64_t floats = (int64_t)size.heads * size.clusters * size.clusters;
    const gw_weight block = {gw_plan_memory(plan, floats, sizeof(float)),
                             plan->training ? gw_plan_memory(plan, floats, sizeof(float)) : NULL};
    const block_arguments arguments = {w->clusters, block, size.heads, size.clusters, head_size};
    gw_plan_append(plan, &block_op, &arguments, sizeof arguments, NULL, 0, rows, 0);
    gw_plan_learns(plan, w->clusters);
    return block;
}

// Of one layer: its graphs, and what its densities add up to.
typedef struct {
    gw_layer_graphs all;
    gw_sbm_memory *memory;           // of each
    double *expected;                // edges of each in the mean, by which a sequence is dense or not
    double *density;                 // [heads] sums, then the number of sequences; of gw_sbm_graphs.sums
    int sequences_listed, tokenwise; // of the batch: all, of which the first are read token by token
} layer_graphs;

struct gw_sbm_graphs {
    gw_sbm_options options;
    layer_graphs *layer; // [layers]
    double *sums;        // [layers][heads + 1]
    gw_sbm_work *work;   // [threads]
    int threads;
    int watched_layer, watched_head; // whose memberships are kept; -1: of none
    gw_memberships watched;
    int64_t query_capacity, key_capacity;
    struct {
        gw_host_numbers query, product, key, block;
    } host; // Y, U, Z and B of the layer that draws
    // Of the layer that runs: dense sequences, whose graphs are read in blocks, in turn of layers.
    int64_t capacity, dense;
    gw_token_blocks *blocks;      // [capacity heads]
    const gw_graph **graph;       // [capacity heads] theirs
    gw_attention_sequence *whole; // [capacity]
};

gw_status gw_sbm_graphs_new(const gw_sbm_options *options, gw_sbm_graphs **out) {
    gw_sbm_graphs *graphs = gw_alloc(1, sizeof *graphs);
    *out = NULL;
    if (!graphs) return GW_ERR_MEMORY;
    *graphs = (gw_sbm_graphs){.options = *options, .threads = gw_threads(), .watched_layer = -1};
    graphs->layer = gw_alloc(options->layers, sizeof *graphs->layer);
    graphs->work = gw_alloc(graphs->threads, sizeof *graphs->work);
    graphs->sums = gw_alloc((int64_t)options->layers * (options->heads + 1), sizeof *graphs->sums);
    const bool made = graphs->layer && graphs->sums && graphs->work;
    for (int l = 0; made && l < options->layers; l++)
        graphs->layer[l].density = graphs->sums + (int64_t)l * (options->heads + 1);
    if (made) *out = graphs;
    else gw_sbm_graphs_free(graphs);
    return made ? GW_OK : GW_ERR_MEMORY;
}

void gw_sbm_graphs_free(gw_sbm_graphs *graphs) {
    if (!graphs) return;
    for (int l = 0; graphs->layer && l < graphs->options.layers; l++) {
        layer_graphs *layer = &graphs->layer[l];
        for (int64_t g = 0; layer->memory && g < layer->all.capacity; g++) gw_sbm_memory_free(&layer->memory[g]);
        free(layer->memory);
        free(layer->expected);
        gw_layer_graphs_free(&layer->all);
    }
    for (int t = 0; graphs->work && t < graphs->threads; t++) gw_sbm_work_free(&graphs->work[t]);
    for (int64_t g = 0; graphs->blocks && g < graphs->capacity * graphs->options.heads; g++)
        gw_token_blocks_free(&graphs->blocks[g]);
    gw_host_numbers_free(&graphs->host.query);
    gw_host_numbers_free(&graphs->host.product);
    gw_host_numbers_free(&graphs->host.key);
    gw_host_numbers_free(&graphs->host.block);
    free(graphs->watched.query);
    free(graphs->watched.key);
    free(graphs->blocks);
    free(graphs->graph);
    free(graphs->whole);
    free(graphs->layer);
    free(graphs->sums);
    free(graphs->work);
    free(graphs);
}

double gw_sbm_graphs_density(const gw_sbm_graphs *graphs, int layer, int head) {
    const double *density = graphs->layer[layer].density, sequences = density[graphs->options.heads];
    return sequences > 0 ? density[head] / sequences : NAN;
}

double *gw_sbm_graphs_sums(gw_sbm_graphs *graphs, int64_t *count) {
    *count = (int64_t)graphs->options.layers * (graphs->options.heads + 1);
    return graphs->sums;
}

const gw_token_graph *gw_sbm_graphs_graph(const gw_sbm_graphs *graphs, int layer, int head) {
    return &graphs->layer[layer].all.graph[head];
}

void gw_sbm_graphs_watch(gw_sbm_graphs *graphs, int layer, int head) {
    graphs->watched_layer = layer;
    graphs->watched_head = head;
}

const gw_memberships *gw_sbm_graphs_memberships(const gw_sbm_graphs *graphs) {
    return &graphs->watched;
}

void gw_sbm_graphs_restart(gw_sbm_graphs *graphs) {
    int64_t count;
    double *sums = gw_sbm_graphs_sums(graphs, &count);
    memset(sums, 0, (size_t)count * sizeof *sums);
}

// Inputs: query, key, value, U, Z, Y.
typedef struct {
    int layer;
    gw_sbm_graphs *graphs;
    const float *block;
} attention_arguments;
enum { QUERY, KEY, VALUE, PRODUCT, KEY_MEMBERSHIP, QUERY_MEMBERSHIP, INPUTS };

typedef struct {
    const gw_run *run;
    const gw_step *step;
} drawing;

static gw_sbm model_of(const gw_run *run, const gw_step *step, int64_t s, int head) {
    const attention_arguments *a = step->arguments;
    const gw_sbm_options *o = &a->graphs->options;
    const gw_rows *rows = &run->batch->of[step->in[QUERY].rows];
    const bool training = run->plan->training;
    const int64_t stride = step->in[PRODUCT].width, first = rows->start[s] * stride + (int64_t)head * o->clusters;
    return (gw_sbm){.kernels = gw_host_kernels(),
                    .draws = o->draws,
                    .each = GW_SBM_EACH,
                    .queries = rows->start[s + 1] - rows->start[s],
                    .keys = rows->start[s + 1] - rows->start[s],
                    .clusters = o->clusters,
                    .query = a->graphs->host.query.number + first,
                    .product = a->graphs->host.product.number + first,
                    .key = a->graphs->host.key.number + first,
                    .stride = stride,
                    .block = a->graphs->host.block.number + (int64_t)head * o->clusters * o->clusters,
                    .exploration = training ? o->exploration : 0,
                    .fixed = o->fixed,
                    .seed = training ? gw_sbm_seed(run->seed, run->batch->step, a->layer, head)
                                     : gw_sbm_seed(o->seed, 0, a->layer, head),
                    .first_query = training ? rows->first + rows->start[s] : 0};
}

static gw_status expect_edges(void *context, int64_t g, int thread) {
    const drawing *d = context;
    const attention_arguments *a = d->step->arguments;
    const int heads = a->graphs->options.heads;
    const gw_sbm model = model_of(d->run, d->step, g / heads, (int)(g % heads));
    (void)thread;
    a->graphs->layer[a->layer].expected[g] = gw_sbm_expected_edges(&model);
    return GW_OK;
}

// A sequence is made of bits and read in blocks where its own heads are expected to read many, so that its bits do not
// depend on the batch. Where kernels do not reach the host's memory none is.
static gw_status draw_graph(void *context, int64_t g, int thread) {
    const drawing *d = context;
    const attention_arguments *a = d->step->arguments;
    const int heads = a->graphs->options.heads;
    layer_graphs *layer = &a->graphs->layer[a->layer];
    gw_sbm model = model_of(d->run, d->step, g / heads, (int)(g % heads));
    const double tokens = (double)model.queries;
    double edges = 0;
    for (int h = 0; h < heads; h++) edges += layer->expected[g / heads * heads + h];
    model.as_bits = layer->all.kernels->shares_host && edges >= a->graphs->options.dense * heads * tokens * tokens;
    return gw_sbm_draw(&model, &a->graphs->work[thread], &layer->memory[g], &layer->all.graph[g]);
}

// A dense sequence, of these graphs, as the block kernel reads it.
static gw_status add_blocks(gw_sbm_graphs *graphs, const gw_token_graph *of, int64_t begin) {
    const int64_t count = of->queries, first = graphs->dense * graphs->options.heads;
    for (int h = 0; h < graphs->options.heads; h++) {
        GW_TRY(gw_token_blocks_make(&graphs->blocks[first + h], &of[h]));
        graphs->graph[first + h] = &graphs->blocks[first + h].graph;
    }
    graphs->whole[graphs->dense++] = (gw_attention_sequence){.query_begin = begin,
                                                             .query_count = count,
                                                             .key_begin = begin,
                                                             .key_count = count,
                                                             .graphs = graphs->graph + first,
                                                             .graph_step = 1};
    return GW_OK;
}

// Sequences in the order of the batch, dense ones from the end.
static gw_status list_sequences(const gw_rows *rows, gw_sbm_graphs *graphs, layer_graphs *layer) {
    layer->sequences_listed = (int)rows->sequences;
    layer->tokenwise = 0;
    graphs->dense = 0;
    for (int64_t s = 0; s < rows->sequences; s++) {
        const gw_token_graph *of = layer->all.graph + s * graphs->options.heads;
        const int64_t begin = rows->start[s];
        const bool dense = of->bits != NULL;
        if (dense) GW_TRY(add_blocks(graphs, of, begin));
        const int64_t at = dense ? rows->sequences - graphs->dense : layer->tokenwise++;
        layer->all.sequence[at] = (gw_token_sequence){
            .query_begin = begin, .key_begin = begin, .graph = layer->all.reached + s * graphs->options.heads};
    }
    return GW_OK;
}

static gw_status keep_memberships(gw_sbm_graphs *graphs, const gw_sbm *of) {
    gw_memberships *kept = &graphs->watched;
    const int64_t floats = of->queries * of->clusters, row = of->clusters * (int64_t)sizeof(float);
    GW_TRY(gw_reserve(&kept->query, &graphs->query_capacity, floats, sizeof *kept->query));
    GW_TRY(gw_reserve(&kept->key, &graphs->key_capacity, floats, sizeof *kept->key));
    kept->tokens = of->queries;
    kept->clusters = of->clusters;
    for (int64_t i = 0; i < of->queries; i++) {
        memcpy(kept->query + i * of->clusters, of->query + i * of->stride, (size_t)row);
        memcpy(kept->key + i * of->clusters, of->key + i * of->stride, (size_t)row);
    }
    return GW_OK;
}

static gw_status draw(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    gw_sbm_graphs *graphs = a->graphs;
    const gw_rows *rows = &run->batch->of[step->in[QUERY].rows];
    layer_graphs *layer = &graphs->layer[a->layer];
    const int heads = graphs->options.heads;
    drawing d = {run, step};
    const int64_t numbers = gw_run_rows(run, step->in[PRODUCT]) * step->in[PRODUCT].width;
    const int64_t pairs = (int64_t)heads * graphs->options.clusters * graphs->options.clusters;
    GW_TRY(gw_host_numbers_get(&graphs->host.query, run->kernels, gw_value(run, step->in[QUERY_MEMBERSHIP]), numbers));
    GW_TRY(gw_host_numbers_get(&graphs->host.product, run->kernels, gw_value(run, step->in[PRODUCT]), numbers));
    GW_TRY(gw_host_numbers_get(&graphs->host.key, run->kernels, gw_value(run, step->in[KEY_MEMBERSHIP]), numbers));
    GW_TRY(gw_host_numbers_get(&graphs->host.block, run->kernels, a->block, pairs));
    GW_TRY(gw_graphs_make(rows->sequences * heads, expect_edges, &d, "sampled"));
    GW_TRY(gw_graphs_make(rows->sequences * heads, draw_graph, &d, "sampled"));
    GW_TRY(gw_layer_graphs_send(&layer->all, rows->sequences * heads));
    for (int64_t g = 0; g < rows->sequences * heads; g++) {
        const gw_token_graph *graph = &layer->all.graph[g];
        layer->density[g % heads] +=
            (double)graph->row_start[graph->queries] / ((double)graph->queries * (double)graph->keys);
    }
    layer->density[heads] += (double)rows->sequences;
    if (graphs->watched_layer == a->layer && rows->sequences > 0) {
        const gw_sbm first = model_of(run, step, 0, graphs->watched_head);
        GW_TRY(keep_memberships(graphs, &first));
        GW_TRY(gw_sbm_list(&layer->memory[graphs->watched_head], &layer->all.graph[graphs->watched_head]));
    }
    return list_sequences(rows, graphs, layer);
}

static gw_token_attention_args attention_arguments_of(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_sbm_options *o = &a->graphs->options;
    const gw_tensor *in = step->in;
    gw_token_attention_args args = gw_token_attention_of(run, step, o->heads);
    args.sequences = a->graphs->layer[a->layer].sequences_listed;
    args.sequence = a->graphs->layer[a->layer].all.sequence;
    args.precision = o->precision;
    args.scale = (float)(1 / sqrt((double)args.head_size));
    args.clusters = o->clusters;
    args.query_membership = gw_value(run, in[PRODUCT]);
    args.key_membership = gw_value(run, in[KEY_MEMBERSHIP]);
    args.query_membership_gradient = gw_gradient(run, in[PRODUCT]);
    args.key_membership_gradient = gw_gradient(run, in[KEY_MEMBERSHIP]);
    args.fixed = o->fixed;
    args.mask_gradient = o->mask_gradient;
    args.penalty = (float)o->penalty;
    args.density_penalty = (float)o->density_penalty;
    return args;
}

// The dense sequences.
static gw_status read_blocks(const gw_run *run, const gw_step *step, const gw_token_attention_args *tokens) {
    const gw_sbm_graphs *graphs = ((const attention_arguments *)step->arguments)->graphs;
    const gw_attention_args args = {.sequences = (int)graphs->dense,
                                    .sequence = graphs->whole,
                                    .heads = tokens->heads,
                                    .head_size = tokens->head_size,
                                    .block = GW_TOKEN_BLOCK,
                                    .precision = tokens->precision,
                                    .scale = tokens->scale,
                                    .query = tokens->query,
                                    .key = tokens->key,
                                    .value = tokens->value,
                                    .query_stride = tokens->stride,
                                    .key_stride = tokens->stride,
                                    .value_stride = tokens->stride,
                                    .query_rows = tokens->query_rows,
                                    .key_rows = tokens->query_rows,
                                    .out = tokens->out,
                                    .out_stride = tokens->stride,
                                    .log_sum = tokens->log_sum,
                                    .scratch = step->scratch};
    return args.sequences > 0 ? run->kernels->attention(&args) : GW_OK;
}

static gw_status attention_forward(const gw_run *run, const gw_step *step) {
    GW_TRY(draw(run, step));
    const attention_arguments *a = step->arguments;
    gw_token_attention_args args = attention_arguments_of(run, step);
    args.sequences = a->graphs->layer[a->layer].tokenwise;
    if (args.sequences > 0) GW_TRY(run->kernels->token_attention(&args));
    return read_blocks(run, step, &args);
}

static gw_status attention_backward(const gw_run *run, const gw_step *step) {
    const gw_token_attention_args args = attention_arguments_of(run, step);
    return run->kernels->token_attention_backward(&args);
}

static void size_attention_scratch(gw_plan *plan, gw_step *step) {
    const attention_arguments *a = step->arguments;
    step->saved_floats = a->graphs->options.heads * gw_plan_most(plan, step->in[QUERY]);
    if (plan->kernels->shares_host) gw_plan_needs(plan, GW_OP_draw_edges);
    gw_plan_needs(plan, GW_OP_token_attention);
    if (plan->training) gw_plan_needs(plan, GW_OP_token_attention_backward);
    const gw_tensor query = step->in[QUERY];
    const gw_attention_args most = {.sequences = (int)plan->rows[query.rows].most_sequences,
                                    .heads = a->graphs->options.heads,
                                    .head_size = (int)(query.width / a->graphs->options.heads),
                                    .block = GW_TOKEN_BLOCK,
                                    .precision = a->graphs->options.precision,
                                    .query_rows = gw_plan_most(plan, query),
                                    .key_rows = gw_plan_most(plan, query)};
    gw_plan_launches(plan, step, GW_OP_attention, &most);
}

static const gw_plan_op attention_op = {.name = "token_attention",
                                        .forward = attention_forward,
                                        .backward = attention_backward,
                                        .size_scratch = size_attention_scratch,
                                        .reads_in = true,
                                        .reads_out = true};

static gw_status make_graphs(gw_sbm_graphs *graphs, int l, const gw_backend *kernels, int64_t sequences) {
    const int heads = graphs->options.heads;
    layer_graphs *layer = &graphs->layer[l];
    GW_TRY(gw_layer_graphs_make(&layer->all, kernels, sequences, heads));
    layer->memory = gw_alloc(layer->all.capacity, sizeof *layer->memory);
    layer->expected = gw_alloc(layer->all.capacity, sizeof *layer->expected);
    if (!layer->memory || !layer->expected) return GW_ERR_MEMORY;
    if (graphs->capacity > 0) return GW_OK;
    graphs->blocks = gw_alloc(sequences * heads, sizeof *graphs->blocks);
    graphs->graph = gw_alloc(sequences * heads, sizeof *graphs->graph);
    graphs->whole = gw_alloc(sequences, sizeof *graphs->whole);
    if (!graphs->blocks || !graphs->graph || !graphs->whole) return GW_ERR_MEMORY;
    graphs->capacity = sequences;
    return GW_OK;
}

gw_tensor gw_plan_sbm_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int layer,
                                const gw_sbm_weights *weights, gw_sbm_graphs *graphs) {
    const gw_sbm_options *o = &graphs->options;
    assert(query.rows == key.rows && key.rows == value.rows && query.width % o->heads == 0);
    if (plan->status == GW_OK)
        plan->status = make_graphs(graphs, layer, plan->kernels, plan->rows[query.rows].most_sequences);
    const sbm_size size = {o->heads, o->clusters, o->shared};
    const gw_weight block = blocks_of(plan, query.rows, query.width / o->heads, weights, size);
    const gw_tensor y = memberships_of(plan, query, weights, size), z = memberships_of(plan, key, weights, size);
    // B is symmetric: U = Y B is a layer with the weight B.
    const gw_tensor u = gw_plan_head_linear(plan, y, block, (gw_weight){NULL, NULL}, o->heads, false, o->clusters);
    const attention_arguments arguments = {layer, graphs, block.value};
    return gw_plan_append(plan, &attention_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value, u, z, y},
                          INPUTS, query.rows, query.width);
}
