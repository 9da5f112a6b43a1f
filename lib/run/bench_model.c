// SPDX-License-Identifier: MIT
// The whole model: the forward pass, and a training step with its optimiser.
#include "base/memory.h"
#include "base/parallel.h"
#include "network/network.h"
#include "run/bench.h"
#include "run/optimiser.h"

#include <stdlib.h>

enum { MASKED_SHARE = 7 }; // one token in seven is masked

typedef struct {
    gw_model *model;
    gw_network *network;
    gw_batch batch;
    gw_arena arena; // of the batch
    gw_optimiser optimiser;
    int64_t step;
} model_run;

static gw_bench_unit flops_of(gw_precision precision) {
    return precision == GW_BF16 ? GW_BENCH_FLOPS_BF16 : GW_BENCH_FLOPS_F32;
}

static gw_status new_model(const gw_bench *bench, gw_model **out) {
    gw_config config;
    GW_TRY(gw_config_preset("base", &config));
    config.vocabulary = GW_BENCH_WORDS;
    if (bench->tokens > config.positions) config.positions = bench->tokens;
    const gw_status status = gw_model_new(&config, NULL, 1, out);
    gw_config_free(&config);
    return status;
}

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
    return new_model(bench, &run->model);
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
    GW_TRY(gw_bench_attention_work(bench, &row->work));
    row->work += gw_bench_linear_work(bench);
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
    GW_TRY(gw_bench_attention_work(bench, &row.work));
    // Backward: two products for each of forward's; the MLM head's dense layer and word scores, on masked tokens.
    const double head =
        2.0 * (double)run->batch.of[GW_ROWS_MASKED].count * GW_BENCH_WIDTH * (GW_BENCH_WIDTH + GW_BENCH_WORDS);
    row.work = 3.0 * (gw_bench_linear_work(bench) + head) + 3.5 * row.work;
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

static gw_status print_plan(gw_model *model, bool training, gw_precision precision, bool plain, gw_string *out) {
    const gw_network_options options = {.tokens = 4096,
                                        .sequences = 1,
                                        .masked = 4096 / MASKED_SHARE,
                                        .nsp_head = training,
                                        .training = training,
                                        .precision = precision,
                                        .plain = plain};
    gw_network *network;
    if (!training) GW_TRY(gw_model_freeze(model, precision));
    GW_TRY(gw_network_new(model, &options, &network));
    gw_network_print_plan(network, out);
    gw_network_free(network);
    return gw_string_status(out);
}

gw_status gw_bench_plan(bool training, gw_precision precision, gw_string *described, gw_string *runs) {
    gw_config config;
    gw_model *model;
    GW_TRY(gw_config_preset("base", &config));
    config.layers = 1;
    config.vocabulary = GW_BENCH_WORDS;
    gw_status status = gw_model_new(&config, NULL, 1, &model);
    gw_config_free(&config);
    GW_TRY(status);
    status = print_plan(model, training, precision, true, described);
    if (status == GW_OK) status = print_plan(model, training, precision, false, runs);
    gw_model_free(model);
    return status;
}
