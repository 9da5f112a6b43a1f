// SPDX-License-Identifier: MIT
// Speed of a base-size BigBird (12 x 768 x 12, random weights, 32,000 words) on one sequence: the forward pass in f32
// and, where the processor has it, bf16, and a training step (masked tokens and sentence pair, AdamW). Beside each the
// products of its linear layers alone, measured in the same run: what is above them is attention and everything else.
//   bench_model [THREADS [TOKENS [REPEATS]]]
#include "kernels/kernel.h"
#include "model/network.h"
#include "run/optimiser.h"
#include "tests/bench/peak.h"

enum { WORDS = 32000, MASKED_SHARE = 7 }; // one token in seven is masked

static int64_t tokens = 4096, repeats = 5;

static void fail(void) {
    fprintf(stderr, "bench_model: %s\n", gw_message());
    exit(1);
}

static void *take(int64_t count, int64_t size) {
    void *memory = gw_alloc(count, size);
    if (!memory) fail();
    return memory;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median time of `repeats` runs after one that warms up.
static double median(void (*run)(void *), void *context) {
    double *times = take(repeats, sizeof *times);
    run(context);
    for (int64_t i = 0; i < repeats; i++) {
        const double start = bench_now();
        run(context);
        times[i] = bench_now() - start;
    }
    qsort(times, (size_t)repeats, sizeof *times, ascending);
    const double middle = times[repeats / 2];
    free(times);
    return middle;
}

// ---- the linear layers alone

typedef struct {
    int64_t n, k, times;
} layer_shape;
static const layer_shape SHAPES[] = {{768, 768, 4 * 12}, {3072, 768, 12}, {768, 3072, 12}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

static void run_linear(void *context) {
    if (gw_kernels()->linear(context) != GW_OK) fail();
}

static double linear_layers(gw_precision precision) {
    double total = 0;
    for (int i = 0; i < SHAPE_COUNT; i++) {
        const layer_shape *s = &SHAPES[i];
        float *weight = take(s->n * s->k, sizeof *weight), *in = take(tokens * s->k, sizeof *in);
        float *out = take(tokens * s->n, sizeof *out);
        gw_packed *packed;
        for (int64_t j = 0; j < s->n * s->k; j++) weight[j] = 0.01f * (float)(j % 7);
        for (int64_t j = 0; j < tokens * s->k; j++) in[j] = 0.1f * (float)(j % 11);
        if (gw_packed_new(weight, s->n, s->k, precision, &packed) != GW_OK) fail();
        float *scratch = take(gw_linear_scratch(gw_threads(), packed), sizeof *scratch);
        gw_linear_args args = {.rows = tokens, .weight = packed, .in = in, .out = out, .scratch = scratch};
        total += (double)s->times * median(run_linear, &args);
        gw_packed_free(packed);
        free(weight), free(in), free(out), free(scratch);
    }
    return total;
}

// ---- the model

typedef struct {
    gw_network *network;
    gw_batch batch;
    gw_model *model;
    gw_optimiser optimiser;
    int64_t step;
} model_run;

static gw_model *new_model(void) {
    gw_config config;
    gw_model *model;
    if (gw_config_preset("base", &config) != GW_OK) fail();
    config.vocabulary = WORDS;
    if (tokens > config.positions) config.positions = tokens;
    if (gw_model_new(&config, NULL, 1, &model) != GW_OK) fail();
    gw_config_free(&config);
    return model;
}

static gw_batch new_batch(int64_t *masked) {
    static int64_t start[2];
    static const int32_t pair[1] = {0};
    int32_t *token = take(tokens, sizeof *token), *row = take(tokens, sizeof *row),
            *label = take(tokens, sizeof *label);
    start[1] = tokens;
    *masked = 0;
    for (int64_t i = 0; i < tokens; i++) {
        token[i] = (int32_t)(i * 7919 % WORDS);
        if (i % MASKED_SHARE != 3) continue;
        row[*masked] = (int32_t)i;
        label[(*masked)++] = token[i];
    }
    return (gw_batch){
        .sequences = 1, .start = start, .token = token, .masked_row = row, .masked_label = label, .pair_label = pair};
}

static void run_forward(void *context) {
    model_run *run = context;
    if (gw_network_forward(run->network, &run->batch, NULL) != GW_OK) fail();
}

static void run_step(void *context) {
    model_run *run = context;
    float *gradient = gw_network_gradient(run->network);
    memset(gradient, 0, (size_t)run->model->parameters.floats * sizeof *gradient);
    run->batch.step = (uint32_t)run->step;
    run_forward(context);
    const float scale = 1.0f / (float)run->batch.masked;
    double norm;
    if (gw_network_backward(run->network, &run->batch, scale, 1.0f, 0.0f) != GW_OK) fail();
    if (gw_optimiser_step(&run->optimiser, &run->model->parameters, gradient, run->step++, 1e-4, &norm) != GW_OK)
        fail();
}

static void print(const char *what, double seconds, double linear) {
    printf("%-28s%9.3f s%9.3f s of linear layers%8.2f times them\n", what, seconds, linear, seconds / linear);
    fflush(stdout);
}

static void bench_forward(gw_precision precision) {
    model_run run = {.model = new_model()};
    int64_t masked;
    run.batch = new_batch(&masked);
    if (gw_model_fix(run.model, precision) != GW_OK) fail();
    const gw_network_options options = {.tokens = tokens, .sequences = 1, .layers = 12};
    if (gw_network_new(run.model, &options, &run.network) != GW_OK) fail();
    const double linear = linear_layers(precision);
    print(precision == GW_BF16 ? "forward, bf16" : "forward, f32", median(run_forward, &run), linear);
    gw_network_free(run.network);
    gw_model_free(run.model);
}

static void bench_step(void) {
    model_run run = {.model = new_model()};
    gw_network_options options = {.tokens = tokens, .sequences = 1, .pair_head = true, .training = true, .seed = 1};
    run.batch = new_batch(&options.masked);
    run.batch.masked = options.masked;
    if (gw_network_new(run.model, &options, &run.network) != GW_OK) fail();
    const gw_optimiser_options adam = gw_optimiser_defaults();
    if (gw_optimiser_new(&run.optimiser, &adam, &run.model->parameters) != GW_OK) fail();
    const double linear = 3 * linear_layers(GW_F32);
    print("training step, f32", median(run_step, &run), linear);
    gw_optimiser_free(&run.optimiser);
    gw_network_free(run.network);
    gw_model_free(run.model);
}

int main(int argc, char **argv) {
    if (argc > 1) gw_set_threads(atoi(argv[1]));
    if (argc > 2) tokens = atoll(argv[2]);
    if (argc > 3) repeats = atoll(argv[3]);
    printf("base size, %lld tokens, %d threads, median of %lld\n", (long long)tokens, gw_threads(), (long long)repeats);
    bench_forward(GW_F32);
    if (gw_has_bf16()) bench_forward(GW_BF16);
    bench_step();
    return 0;
}
