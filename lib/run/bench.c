// SPDX-License-Identifier: MIT
// Times the parts of a model: the median over runs of a function, each until the device has finished.
#include "run/bench.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "graph/source.h"
#include "kernels/backend.h"
#include "network/network.h"
#include "run/optimiser.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static gw_status run_whole(gw_status (*run)(void *), void *context) {
    char nothing = 0;
    GW_TRY(run(context));
    return gw_kernels()->to_host(&nothing, &nothing, 0);
}

gw_status gw_bench_time(const gw_bench *bench, gw_status (*run)(void *), void *context, double *seconds) {
    double *times = gw_alloc(bench->repeats, sizeof *times);
    if (!times) return GW_ERR_MEMORY;
    gw_status status = run_whole(run, context);
    for (int64_t i = 0; status == GW_OK && i < bench->repeats; i++) {
        const double start = gw_seconds_now();
        status = run_whole(run, context);
        times[i] = gw_seconds_now() - start;
    }
    qsort(times, (size_t)bench->repeats, sizeof *times, ascending);
    *seconds = times[bench->repeats / 2];
    free(times);
    return status;
}

// ---- an arena whose memory is the device's, and numbers that are sent there

gw_status gw_bench_place(gw_arena *arena) {
    void *memory;
    GW_TRY(gw_kernels()->allocate(arena->used, &memory));
    *arena = (gw_arena){.memory = memory, .size = arena->used};
    return GW_OK;
}

void gw_bench_release(gw_arena *arena) {
    gw_kernels()->release(arena->memory);
    *arena = (gw_arena){0};
}

gw_status gw_bench_fill(float *device, int64_t count) {
    float *made = gw_alloc(count, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) made[i] = 0.1f * (float)(i * 7919 % 23 - 11);
    const gw_status status = gw_kernels()->to_device(device, made, count * (int64_t)sizeof *made);
    free(made);
    return status;
}

// ---- kernels alone

// On the shapes of all layers. A timed run calls a kernel as often as a pass through the model does, on
// the same arrays, so that it is as likely as the pass to be interrupted; but a pass finds weights in memory that these
// calls find in the cache.

enum { BLOCK = 64, POSITIONS = 4096 };

static gw_bench_unit flops_of(gw_precision precision) {
    return precision == GW_BF16 ? GW_BENCH_FLOPS_BF16 : GW_BENCH_FLOPS_F32;
}

// ---- as many calls as in a pass

typedef struct {
    gw_status (*call)(void *context);
    void *context;
    int64_t times;
} calls;

static gw_status run_calls(void *context) {
    const calls *run = context;
    for (int64_t i = 0; i < run->times; i++) GW_TRY(run->call(run->context));
    return GW_OK;
}

static gw_status time_calls(const gw_bench *bench, gw_status (*call)(void *), void *context, int64_t times,
                            double *seconds) {
    return gw_bench_time(bench, run_calls, &(calls){call, context, times}, seconds);
}

// ---- linear layers

typedef struct {
    int64_t n, k, times; // so many in a layer
} layer_shape;
static const layer_shape SHAPES[] = {{GW_BENCH_WIDTH, GW_BENCH_WIDTH, 4},
                                     {4 * GW_BENCH_WIDTH, GW_BENCH_WIDTH, 1},
                                     {GW_BENCH_WIDTH, 4 * GW_BENCH_WIDTH, 1}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

// FLOPs of one pass over the encoder's linear layers.
static double linear_work(const gw_bench *bench) {
    double work = 0;
    for (int i = 0; i < SHAPE_COUNT; i++)
        work +=
            2.0 * (double)(SHAPES[i].times * SHAPES[i].n * SHAPES[i].k) * (double)(bench->tokens * bench->sequences);
    return GW_BENCH_LAYERS * work;
}

static gw_status run_linear(void *context) {
    return gw_kernels()->linear(context);
}

static gw_status time_shape(const gw_bench *bench, const layer_shape *shape, gw_packed *packed, double *seconds) {
    const int64_t rows = bench->tokens * bench->sequences;
    gw_arena arena = {0};
    gw_linear_args args = {.rows = rows, .layer = {{packed}}};
    gw_status status = GW_OK;
    for (int placed = 0; status == GW_OK && placed < 2; placed++) {
        if (placed) status = gw_bench_place(&arena);
        if (status != GW_OK) break;
        args.in = gw_arena_alloc(&arena, rows * shape->k, sizeof(float));
        args.out[0] = gw_arena_alloc(&arena, rows * shape->n, sizeof(float));
        args.scratch = gw_arena_alloc(&arena, gw_kernels()->scratch(GW_OP_linear, &args), sizeof(float));
    }
    if (status == GW_OK) status = gw_bench_fill((float *)args.in, rows * shape->k);
    if (status == GW_OK) status = time_calls(bench, run_linear, &args, GW_BENCH_LAYERS * shape->times, seconds);
    gw_bench_release(&arena);
    return status;
}

static gw_status pack(const layer_shape *shape, gw_precision precision, gw_packed **out) {
    void *weight;
    GW_TRY(gw_kernels()->allocate(shape->n * shape->k * (int64_t)sizeof(float), &weight));
    gw_status status = gw_bench_fill(weight, shape->n * shape->k);
    if (status == GW_OK) status = gw_kernels()->pack(weight, shape->n, shape->k, precision, out);
    gw_kernels()->release(weight);
    return status;
}

gw_status gw_bench_linear(const gw_bench *bench, gw_precision precision) {
    gw_bench_row row = {.part = "linear", .precision = precision, .unit = flops_of(precision)};
    row.work = linear_work(bench);
    for (int i = 0; i < SHAPE_COUNT; i++) {
        const layer_shape *shape = &SHAPES[i];
        double seconds = 0;
        gw_packed *packed = NULL;
        gw_status status = pack(shape, precision, &packed);
        if (status == GW_OK) status = time_shape(bench, shape, packed, &seconds);
        gw_kernels()->packed_free(packed);
        if (status != GW_OK) return status;
        row.seconds += seconds;
    }
    bench->row(bench->context, &row);
    return GW_OK;
}

// ---- attention

typedef struct {
    gw_graph_source *source;
    const gw_graph *const *graphs;
    int step;
    double work; // FLOPs of a forward pass, all layers
} bench_graphs;

static gw_status open_graphs(const gw_bench *bench, bench_graphs *out) {
    const int64_t positions = gw_max(bench->tokens, POSITIONS);
    gw_pattern pattern;
    GW_TRY(gw_pattern_parse("itc", &pattern));
    GW_TRY(gw_pattern_source_new(&pattern, NULL, 1, (int)bench->heads, positions, &out->source));
    out->source->kernels = gw_kernels();
    const gw_graph_request request = {.shape = gw_graph_square(bench->tokens)};
    const gw_status status = gw_graph_get(out->source, &request, &out->graphs, &out->step);
    double edges = 0;
    for (int h = 0; status == GW_OK && h < bench->heads; h++)
        edges += (double)out->graphs[h * out->step]->edges * BLOCK * BLOCK;
    out->work = 4.0 * edges * (double)(GW_BENCH_WIDTH / bench->heads * bench->sequences) * GW_BENCH_LAYERS;
    if (status != GW_OK) gw_graph_source_free(out->source);
    return status;
}

// FLOPs of the attention of the encoder's layers, forward (4 an edge and head dimension; the backward pass does 10).
static gw_status attention_work(const gw_bench *bench, double *work) {
    bench_graphs graphs;
    GW_TRY(open_graphs(bench, &graphs));
    *work = graphs.work;
    gw_graph_source_free(graphs.source);
    return GW_OK;
}

static gw_status run_attention(void *context) {
    return gw_kernels()->attention(context);
}

static gw_status run_attention_backward(void *context) {
    return gw_kernels()->attention_backward(context);
}

// Queries, keys and values in arrays of their own, as a network's plan has them.
static gw_status take_arrays(gw_arena *arena, gw_attention_args *args, bool backward) {
    const int64_t rows = args->query_rows, width = GW_BENCH_WIDTH;
    float *inputs = gw_arena_alloc(arena, rows * 3 * width, sizeof(float)), *gradient = NULL;
    args->out = gw_arena_alloc(arena, rows * width, sizeof(float));
    args->log_sum = gw_arena_alloc(arena, rows * args->heads, sizeof(float));
    const int64_t forward_scratch = gw_kernels()->scratch(GW_OP_attention, args),
                  backward_scratch = backward ? gw_kernels()->scratch(GW_OP_attention_backward, args) : 0;
    args->scratch = gw_arena_alloc(arena, gw_max(forward_scratch, backward_scratch), sizeof(float));
    if (backward) {
        gradient = gw_arena_alloc(arena, rows * 3 * width, sizeof(float));
        args->out_gradient = gw_arena_alloc(arena, rows * width, sizeof(float));
    }
    if (!arena->memory) return GW_OK;
    GW_TRY(gw_bench_fill(inputs, rows * 3 * width));
    args->query = inputs, args->key = inputs + rows * width, args->value = inputs + 2 * rows * width;
    if (!backward) return GW_OK;
    args->query_gradient = gradient, args->key_gradient = gradient + rows * width;
    args->value_gradient = gradient + 2 * rows * width;
    return gw_bench_fill((float *)args->out_gradient, rows * width);
}

static gw_status time_attention(const gw_bench *bench, const bench_graphs *graphs, gw_bench_row *row, bool backward) {
    const int64_t rows = bench->tokens * bench->sequences, stride = GW_BENCH_WIDTH;
    gw_attention_sequence *sequences = gw_alloc(bench->sequences, sizeof *sequences);
    if (!sequences) return GW_ERR_MEMORY;
    for (int64_t s = 0; s < bench->sequences; s++)
        sequences[s] = (gw_attention_sequence){.query_begin = s * bench->tokens,
                                               .query_count = bench->tokens,
                                               .key_begin = s * bench->tokens,
                                               .key_count = bench->tokens,
                                               .graphs = graphs->graphs,
                                               .graph_step = graphs->step};
    gw_attention_args args = {.sequences = (int)bench->sequences,
                              .sequence = sequences,
                              .heads = (int)bench->heads,
                              .head_size = (int)(GW_BENCH_WIDTH / bench->heads),
                              .block = BLOCK,
                              .precision = row->precision,
                              .scale = 1.0f / sqrtf((float)(GW_BENCH_WIDTH / bench->heads)),
                              .query_stride = stride,
                              .key_stride = stride,
                              .value_stride = stride,
                              .query_rows = rows,
                              .key_rows = rows,
                              .out_stride = GW_BENCH_WIDTH};
    gw_arena arena = {0};
    gw_status status = take_arrays(&arena, &args, backward);
    if (status == GW_OK) status = gw_bench_place(&arena);
    if (status == GW_OK) status = take_arrays(&arena, &args, backward);
    if (status == GW_OK && backward) status = run_attention(&args); // backward reads its output
    if (status == GW_OK)
        status =
            time_calls(bench, backward ? run_attention_backward : run_attention, &args, GW_BENCH_LAYERS, &row->seconds);
    gw_bench_release(&arena);
    free(sequences);
    return status;
}

static gw_status bench_attention(const gw_bench *bench, gw_bench_row row, bool backward) {
    bench_graphs graphs;
    GW_TRY(open_graphs(bench, &graphs));
    const gw_status status = time_attention(bench, &graphs, &row, backward);
    gw_graph_source_free(graphs.source);
    row.work = backward ? 2.5 * graphs.work : graphs.work;
    if (status == GW_OK) bench->row(bench->context, &row);
    return status;
}

gw_status gw_bench_attention(const gw_bench *bench, gw_precision precision) {
    return bench_attention(
        bench, (gw_bench_row){.part = "attention", .precision = precision, .unit = flops_of(precision)}, false);
}

gw_status gw_bench_attention_backward(const gw_bench *bench, gw_precision precision) {
    return bench_attention(
        bench, (gw_bench_row){.part = "attention_backward", .precision = precision, .unit = flops_of(precision)}, true);
}

// ---- layer norms

static gw_status run_layer_norm(void *context) {
    return gw_kernels()->layer_norm(context);
}

static void take_rows(gw_arena *arena, gw_layer_norm_args *args) {
    args->in = gw_arena_alloc(arena, args->rows * args->width, sizeof(float));
    args->out = gw_arena_alloc(arena, args->rows * args->width, sizeof(float));
    args->mean = gw_arena_alloc(arena, args->rows, sizeof(float));
    args->inverse_deviation = gw_arena_alloc(arena, args->rows, sizeof(float));
    args->weight = gw_arena_alloc(arena, args->width, sizeof(float));
    args->bias = gw_arena_alloc(arena, args->width, sizeof(float));
}

gw_status gw_bench_layer_norm(const gw_bench *bench, gw_precision precision) {
    const int64_t rows = bench->tokens * bench->sequences, width = GW_BENCH_WIDTH, times = 2 * GW_BENCH_LAYERS + 1;
    gw_bench_row row = {.part = "layer_norm", .precision = precision, .unit = GW_BENCH_BYTES};
    gw_layer_norm_args args = {.rows = rows, .width = width, .epsilon = 1e-12f};
    gw_arena arena = {0};
    take_rows(&arena, &args);
    gw_status status = gw_bench_place(&arena);
    if (status == GW_OK) {
        take_rows(&arena, &args);
        status = gw_bench_fill((float *)args.in, rows * width);
    }
    if (status == GW_OK) status = time_calls(bench, run_layer_norm, &args, times, &row.seconds);
    gw_bench_release(&arena);
    row.work = (double)times * 2.0 * (double)(rows * width) * sizeof(float);
    if (status == GW_OK) bench->row(bench->context, &row);
    return status;
}

// ---- the whole model: the forward pass, and a training step with its optimiser

enum { MASKED_SHARE = 7 }; // one token in seven is masked

typedef struct {
    gw_model *model;
    gw_network *network;
    gw_batch batch;
    gw_arena arena; // of the batch
    gw_optimiser optimiser;
    int64_t step;
} model_run;

static void fill_batch(const gw_bench *bench, gw_arena *arena, gw_batch *batch) {
    const int64_t rows = bench->tokens * bench->sequences;
    int64_t *start = gw_arena_alloc(arena, bench->sequences + 1, sizeof *start);
    int32_t *token = gw_arena_alloc(arena, rows, sizeof *token), *masked = gw_arena_alloc(arena, rows, sizeof *masked);
    int32_t *label = gw_arena_alloc(arena, rows, sizeof *label);
    int32_t *pair = gw_arena_alloc(arena, bench->sequences, sizeof *pair); // zeros
    if (!arena->memory) return;
    for (int64_t s = 0; s <= bench->sequences; s++) start[s] = s * bench->tokens;
    gw_rows *picked = &batch->of[GW_ROWS_MASKED];
    batch->of[GW_ROWS_TOKENS] = (gw_rows){.sequences = bench->sequences, .start = start, .token = token};
    *picked = (gw_rows){.row = masked, .label = label};
    batch->of[GW_ROWS_FIRST].label = pair;
    for (int64_t i = 0; i < rows; i++) {
        token[i] = (int32_t)(i * 7919 % GW_BENCH_WORDS);
        if (i % MASKED_SHARE != 3) continue;
        masked[picked->count] = (int32_t)i;
        label[picked->count++] = token[i];
    }
}

static void close_run(model_run *run) {
    gw_optimiser_free(&run->optimiser);
    gw_network_free(run->network);
    gw_model_free(run->model);
    gw_arena_free(&run->arena);
}

static gw_status open_run(const gw_bench *bench, model_run *run) {
    fill_batch(bench, &run->arena, &run->batch);
    GW_TRY(gw_arena_place(&run->arena));
    fill_batch(bench, &run->arena, &run->batch);
    gw_config config;
    GW_TRY(gw_config_preset("base", &config));
    config.vocabulary = GW_BENCH_WORDS;
    config.heads = bench->heads;
    config.positions = gw_max(config.positions, bench->tokens);
    const gw_status status = gw_model_new(&config, NULL, 1, &run->model);
    gw_config_free(&config);
    return status;
}

static gw_status run_forward(void *context) {
    model_run *run = context;
    return gw_network_forward(run->network, &run->batch, NULL);
}

static gw_status run_optimiser(void *context) {
    model_run *run = context;
    double norm;
    return gw_optimiser_step(&run->optimiser, &run->model->parameters, gw_network_gradient(run->network), run->step++,
                             1e-4, &norm);
}

static gw_status run_step(void *context) {
    model_run *run = context;
    const gw_mirror *weights = &run->model->parameters.mirror;
    GW_TRY(weights->kernels->zero(gw_network_gradient(run->network), weights->bytes));
    run->batch.step = (uint32_t)run->step;
    GW_TRY(run_forward(context));
    const float scale[GW_BATCH_ROWS] = {
        [GW_ROWS_MASKED] = 1.0f / (float)run->batch.of[GW_ROWS_MASKED].count, [GW_ROWS_FIRST] = 1.0f};
    GW_TRY(gw_network_backward(run->network, scale));
    return run_optimiser(context);
}

static gw_status time_forward(const gw_bench *bench, model_run *run, gw_bench_row *row) {
    const gw_network_options options = {
        .tokens = bench->tokens * bench->sequences, .sequences = bench->sequences, .layers = GW_BENCH_LAYERS};
    GW_TRY(open_run(bench, run));
    GW_TRY(gw_model_freeze(run->model, row->precision));
    GW_TRY(gw_network_new(run->model, &options, &run->network));
    run->batch.of[GW_ROWS_MASKED].count = 0;
    GW_TRY(gw_bench_time(bench, run_forward, run, &row->seconds));
    GW_TRY(attention_work(bench, &row->work));
    row->work += linear_work(bench);
    bench->row(bench->context, row);
    return GW_OK;
}

gw_status gw_bench_forward(const gw_bench *bench, gw_precision precision) {
    gw_bench_row row = {.part = "forward", .precision = precision, .unit = flops_of(precision)};
    model_run run = {0};
    const gw_status status = time_forward(bench, &run, &row);
    close_run(&run);
    return status;
}

static gw_status time_step(const gw_bench *bench, model_run *run, gw_precision precision) {
    gw_bench_row row = {.part = "step", .precision = precision, .unit = flops_of(precision)};
    GW_TRY(open_run(bench, run));
    const gw_network_options options = {.tokens = bench->tokens * bench->sequences,
                                        .sequences = bench->sequences,
                                        .masked = run->batch.of[GW_ROWS_MASKED].count,
                                        .nsp_head = true,
                                        .training = true,
                                        .recompute = bench->recompute,
                                        .precision = precision,
                                        .seed = 1};
    const gw_optimiser_options adam = gw_optimiser_defaults();
    GW_TRY(gw_network_new(run->model, &options, &run->network));
    GW_TRY(gw_optimiser_new(&run->optimiser, &adam, &run->model->parameters));
    GW_TRY(gw_bench_time(bench, run_step, run, &row.seconds));
    GW_TRY(attention_work(bench, &row.work));
    // Backward: two products for each of forward's; the MLM head's dense layer and word scores, on masked tokens.
    const double head =
        2.0 * (double)run->batch.of[GW_ROWS_MASKED].count * GW_BENCH_WIDTH * (GW_BENCH_WIDTH + GW_BENCH_WORDS);
    row.work = 3.0 * (linear_work(bench) + head) + 3.5 * row.work;
    bench->row(bench->context, &row);
    // The optimiser reads gradients twice (for their norm), and reads and writes weights and two moments.
    row = (gw_bench_row){.part = "optimiser", .precision = precision, .unit = GW_BENCH_BYTES};
    row.work = 8.0 * sizeof(float) * (double)run->model->parameters.floats;
    GW_TRY(gw_bench_time(bench, run_optimiser, run, &row.seconds));
    bench->row(bench->context, &row);
    return GW_OK;
}

gw_status gw_bench_step(const gw_bench *bench, gw_precision precision) {
    model_run run = {0};
    const gw_status status = time_step(bench, &run, precision);
    close_run(&run);
    return status;
}
