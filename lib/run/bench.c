// SPDX-License-Identifier: MIT
// Times one function by the median of its runs, until the device has done what was launched.
#include "run/bench.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "graph/source.h"
#include "kernels/backend.h"

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

// An arena whose memory is the device's, and numbers that are sent there.

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

// Kernels alone, on the shapes of all layers. A timed run calls a kernel as often as a pass through the model does, on
// the same arrays, so that it is as likely as the pass to be interrupted; but a pass finds weights in memory that these
// calls find in the cache.

enum { BLOCK = 64, HEAD_SIZE = GW_BENCH_WIDTH / GW_BENCH_HEADS, POSITIONS = 4096 };

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

double gw_bench_linear_work(const gw_bench *bench) {
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
    row.work = gw_bench_linear_work(bench);
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
    const int64_t positions = bench->tokens > POSITIONS ? bench->tokens : POSITIONS;
    gw_pattern pattern;
    GW_TRY(gw_pattern_parse("itc", &pattern));
    GW_TRY(gw_pattern_source_new(&pattern, NULL, 1, GW_BENCH_HEADS, positions, &out->source));
    out->source->kernels = gw_kernels();
    const gw_graph_request request = {.shape = gw_graph_square(bench->tokens)};
    const gw_status status = gw_graph_get(out->source, &request, &out->graphs, &out->step);
    double edges = 0;
    for (int h = 0; status == GW_OK && h < GW_BENCH_HEADS; h++)
        edges += (double)out->graphs[h * out->step]->edges * BLOCK * BLOCK;
    out->work = 4.0 * edges * HEAD_SIZE * (double)bench->sequences * GW_BENCH_LAYERS;
    if (status != GW_OK) gw_graph_source_free(out->source);
    return status;
}

gw_status gw_bench_attention_work(const gw_bench *bench, double *work) {
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
    args->log_sum = gw_arena_alloc(arena, rows * GW_BENCH_HEADS, sizeof(float));
    const int64_t forward_scratch = gw_kernels()->scratch(GW_OP_attention, args),
                  backward_scratch = backward ? gw_kernels()->scratch(GW_OP_attention_backward, args) : 0;
    args->scratch =
        gw_arena_alloc(arena, forward_scratch > backward_scratch ? forward_scratch : backward_scratch, sizeof(float));
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
                              .heads = GW_BENCH_HEADS,
                              .head_size = HEAD_SIZE,
                              .block = BLOCK,
                              .precision = row->precision,
                              .scale = 0.125f,
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
