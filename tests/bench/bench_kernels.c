// SPDX-License-Identifier: MIT
// Speed of every kernel of the backend in use (GODWIT_BACKEND chooses one), beside what the machine can do, measured in
// the same run: products and attention against multiply-adds in registers, the others against a copy of memory. Bytes
// are those that must move at least; FLOPs of attention are 4 (forward) and 10 (backward) an edge and head dimension.
//   bench_kernels [THREADS] [OP]
#include "base/clock.h"
#include "kernels/backend.h"
#include "run/bench.h"
#include "run/bench_peak.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 };
static const double SECONDS = 0.2; // and at least this long: other work on the machine comes and goes

static double peak_flops, peak_bytes;
static const gw_backend *backend;
static const char *only; // an op to measure alone, or NULL

static float *numbers(int64_t count) {
    float *values = gw_alloc(count, sizeof *values);
    if (!values) exit(1);
    uint32_t state = 1;
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.0f;
    return values;
}

static int32_t *indices(int64_t count, int32_t limit) {
    int32_t *values = gw_alloc(count, sizeof *values);
    if (!values) exit(1);
    uint32_t state = 7;
    for (int64_t i = 0; i < count; i++)
        values[i] = (int32_t)(((state = state * 1664525u + 1013904223u) >> 8) % (uint32_t)limit);
    return values;
}

static void fail(void) {
    fprintf(stderr, "bench_kernels: %s\n", gw_message());
    exit(1);
}

typedef enum { FLOPS, BYTES } work_unit;

static void report(const char *op, const char *text, double work, double seconds, work_unit unit) {
    const double rate = work / seconds * 1e-9, peak = unit == FLOPS ? peak_flops : peak_bytes;
    printf("%-28s%-28s%9.3f ms%9.1f %s%6.0f %%\n", op, text, seconds * 1e3, rate, unit == FLOPS ? "GFLOP/s" : "GB/s   ",
           100.0 * rate / peak);
    fflush(stdout);
}

typedef struct {
    int runs;
    double start, total, best;
} bench_timer;

// Notes the run that ended, if any; true where another one is to start.
static bool another_run(bench_timer *timer) {
    if (timer->start > 0.0) {
        const double taken = gw_seconds_now() - timer->start;
        timer->best = timer->runs == 0 ? taken : fmin(timer->best, taken);
        timer->total += taken;
        timer->runs++;
    }
    timer->start = gw_seconds_now();
    return timer->runs < REPEATS || timer->total < SECONDS;
}

// Runs the kernel repeatedly and prints the rate of the fastest run; work is in FLOPs or bytes.
#define BENCH(op, args, work, unit, text)                                                                              \
    do {                                                                                                               \
        if (only && strcmp(only, #op) != 0) break;                                                                     \
        bench_timer timer_ = {0};                                                                                      \
        while (another_run(&timer_))                                                                                   \
            if (backend->op(args) != GW_OK) fail();                                                                    \
        report(#op, text, work, timer_.best, unit);                                                                    \
    } while (0)

static void bench_gemm(const char *way, int64_t m, int64_t n, int64_t k) {
    const bool ta = way[0] == 'T', tb = way[1] == 'T';
    float *a = numbers(m * k), *b = numbers(k * n), *c = numbers(m * n), *bias = numbers(n);
    const gw_gemm_args args = {.transpose_a = ta,
                               .transpose_b = tb,
                               .m = m,
                               .n = n,
                               .k = k,
                               .a = a,
                               .a_stride = ta ? m : k,
                               .b = b,
                               .b_stride = tb ? k : n,
                               .c = c,
                               .c_stride = n,
                               .bias = tb ? bias : NULL,
                               .accumulate = ta};
    char text[64];
    snprintf(text, sizeof text, "%s %lld x %lld x %lld", way, (long long)m, (long long)n, (long long)k);
    BENCH(gemm, &args, 2.0 * (double)m * (double)n * (double)k, FLOPS, text);
    free(a), free(b), free(c), free(bias);
}

static void bench_linear(gw_precision precision, int64_t m, int64_t n, int64_t k) {
    float *in = numbers(m * k), *weight = numbers(n * k), *out = numbers(m * n), *bias = numbers(n);
    gw_packed *packed;
    if (gw_kernels()->pack(weight, n, k, precision, &packed) != GW_OK) fail();
    gw_linear_args args = {.rows = m, .in = in, .layer = {{packed, bias}}, .out = {out}};
    args.scratch = numbers(gw_kernels()->scratch(GW_OP_linear, &args));
    char text[64];
    snprintf(text, sizeof text, "%s %lld x %lld x %lld", precision == GW_BF16 ? "bf16" : "f32", (long long)m,
             (long long)n, (long long)k);
    BENCH(linear, &args, 2.0 * (double)m * (double)n * (double)k, FLOPS, text);
    gw_kernels()->packed_free(packed);
    free(in), free(weight), free(out), free(bias), free(args.scratch);
}

static void bench_products(void) {
    static const int64_t LAYERS[][3] = {{4096, 768, 768}, {4096, 3072, 768}, {4096, 768, 3072}, {4096, 128, 128},
                                        {4096, 512, 128}, {600, 32000, 128}, {4096, 10, 128},   {128, 768, 768}};
    for (size_t i = 0; i < sizeof LAYERS / sizeof LAYERS[0]; i++) {
        const int64_t m = LAYERS[i][0], n = LAYERS[i][1], k = LAYERS[i][2];
        bench_gemm("NT", m, n, k); // y = x W^T
        bench_linear(GW_F32, m, n, k);
        if (gw_has_bf16()) bench_linear(GW_BF16, m, n, k);
        bench_gemm("NN", m, k, n); // dx = dy W
        bench_gemm("TN", n, k, m); // dW += dy^T x
    }
}

enum { TOKENS = 4096, HEADS = 12, HEAD_SIZE = 64, BLOCK = 64, BLOCKS = TOKENS / BLOCK, WIDTH = HEADS * HEAD_SIZE };

// BigBird-ITC's shape: window of three, first and last block as rows and columns, three others by chance.
typedef struct {
    int64_t row_start[BLOCKS + 1], column_start[BLOCKS + 1], edge[BLOCKS * BLOCKS];
    int32_t column[BLOCKS * BLOCKS], row[BLOCKS * BLOCKS];
    gw_graph graph;
} bench_graph;

static bool reads(int row, int column, bool full) {
    const bool global = row == 0 || row == BLOCKS - 1 || column == 0 || column == BLOCKS - 1;
    const int other = (column - row + BLOCKS) % BLOCKS;
    return full || global || abs(row - column) <= 1 || other == 7 || other == 22 || other == 45;
}

static void make_graph(bench_graph *g, bool full) {
    int64_t edges = 0, next = 0;
    for (int row = 0; row < BLOCKS; row++) {
        for (int column = 0; column < BLOCKS; column++)
            if (reads(row, column, full)) g->column[edges++] = column;
        g->row_start[row + 1] = edges;
    }
    for (int column = 0; column < BLOCKS; column++) {
        for (int row = 0; row < BLOCKS; row++)
            for (int64_t e = g->row_start[row]; e < g->row_start[row + 1]; e++)
                if (g->column[e] == column) g->row[next] = row, g->edge[next++] = e;
        g->column_start[column + 1] = next;
    }
    g->graph = (gw_graph){.block = BLOCK,
                          .query_blocks = BLOCKS,
                          .key_blocks = BLOCKS,
                          .edges = edges,
                          .row_start = g->row_start,
                          .column = g->column,
                          .column_start = g->column_start,
                          .row = g->row,
                          .edge = g->edge};
}

// The same attention with terms of place: 256 global tokens, each with 15 long ones, ids as ETC has them.
static void bench_relative(const gw_attention_args *attention, double edges, const char *text) {
    enum { GLOBALS = 256, IDS = 32, TABLE = 2 * IDS * HEADS };
    const int64_t globals = GLOBALS;
    int32_t *begin = indices(TOKENS, 1), *end = indices(TOKENS, 1);
    for (int32_t g = 0; g < GLOBALS; g++) begin[g] = GLOBALS + 15 * g, end[g] = GLOBALS + 15 * (g + 1);
    float *table = numbers((int64_t)TABLE * (HEAD_SIZE + 1)), *gradient = numbers((int64_t)TABLE * (HEAD_SIZE + 1));
    gw_relative_attention_args args = {.attention = *attention,
                                       .globals = &globals,
                                       .segment_begin = begin,
                                       .segment_end = end,
                                       .distance = 12,
                                       .ids = IDS,
                                       .embedding = table,
                                       .bias = table + (int64_t)TABLE * HEAD_SIZE,
                                       .embedding_gradient = gradient,
                                       .bias_gradient = gradient + (int64_t)TABLE * HEAD_SIZE};
    args.attention.scratch = numbers(gw_kernels()->scratch(GW_OP_relative_attention_backward, &args));
    BENCH(relative_attention, &args, 4.0 * edges, FLOPS, text);
    BENCH(relative_attention_backward, &args, 10.0 * edges, FLOPS, text);
    free(begin), free(end), free(table), free(gradient), free(args.attention.scratch);
}

static void bench_attention(bool full) {
    bench_graph *g = gw_alloc(1, sizeof *g);
    if (!g) exit(1);
    make_graph(g, full);
    const gw_graph *graphs[1] = {&g->graph};
    const gw_attention_sequence sequence = {.query_count = TOKENS, .key_count = TOKENS, .graphs = graphs};
    const int64_t count = (int64_t)TOKENS * WIDTH;
    float *packed = numbers(3 * count), *gradient = numbers(3 * count), *out = numbers(count), *dout = numbers(count);
    float *log_sum = numbers(HEADS * TOKENS);
    gw_attention_args args = {.sequences = 1,
                              .sequence = &sequence,
                              .heads = HEADS,
                              .head_size = HEAD_SIZE,
                              .block = BLOCK,
                              .scale = 0.125f,
                              .query = packed,
                              .key = packed + WIDTH,
                              .value = packed + 2 * WIDTH,
                              .query_stride = 3 * WIDTH,
                              .key_stride = 3 * WIDTH,
                              .value_stride = 3 * WIDTH,
                              .query_rows = TOKENS,
                              .key_rows = TOKENS,
                              .out = out,
                              .out_stride = WIDTH,
                              .log_sum = log_sum,
                              .out_gradient = dout,
                              .query_gradient = gradient,
                              .key_gradient = gradient + WIDTH,
                              .value_gradient = gradient + 2 * WIDTH};
    args.scratch = numbers(gw_kernels()->scratch(GW_OP_attention_backward, &args));
    const double edges = (double)g->graph.edges * BLOCK * BLOCK * HEADS * HEAD_SIZE;
    BENCH(attention, &args, 4.0 * edges, FLOPS, full ? "full, 4096 x 12 x 64" : "itc, 4096 x 12 x 64");
    if (gw_has_bf16()) {
        gw_attention_args rounded = args;
        rounded.precision = GW_BF16;
        rounded.scratch = numbers(gw_kernels()->scratch(GW_OP_attention, &rounded));
        BENCH(attention, &rounded, 4.0 * edges, FLOPS, full ? "full, bf16" : "itc, bf16");
        free(rounded.scratch);
    }
    BENCH(attention_backward, &args, 10.0 * edges, FLOPS, full ? "full, 4096 x 12 x 64" : "itc, 4096 x 12 x 64");
    bench_relative(&args, edges, full ? "full, 4096 x 12 x 64" : "itc, 4096 x 12 x 64");
    free(packed), free(gradient), free(out), free(dout), free(log_sum), free(args.scratch), free(g);
}

// Ops on arrays, of TOKENS rows of WIDTH unless said.
static void bench_rows(void) {
    enum { VOCABULARY = 32000 };
    const int64_t count = (int64_t)TOKENS * WIDTH;
    const double row_bytes = (double)count * sizeof(float), table_bytes = (double)TOKENS * 3 * WIDTH * sizeof(float);
    float *in = numbers(count), *out = numbers(count), *dout = numbers(count), *din = numbers(count);
    float *weight = numbers(WIDTH), *bias = numbers(WIDTH), *mean = numbers(TOKENS), *deviation = numbers(TOKENS);
    float *token_embedding = numbers((int64_t)VOCABULARY * WIDTH);
    int32_t *token = indices(TOKENS, VOCABULARY), *position = indices(TOKENS, TOKENS), *segment = indices(TOKENS, 2);
    gw_layer_norm_args norm = {.rows = TOKENS,
                               .width = WIDTH,
                               .epsilon = 1e-5f,
                               .in = in,
                               .weight = weight,
                               .bias = bias,
                               .out = out,
                               .mean = mean,
                               .inverse_deviation = deviation,
                               .out_gradient = dout,
                               .in_gradient = din,
                               .weight_gradient = weight,
                               .bias_gradient = bias};
    norm.scratch = numbers(gw_kernels()->scratch(GW_OP_layer_norm_backward, &norm));
    BENCH(layer_norm, &norm, 2.0 * row_bytes, BYTES, "4096 x 768");
    BENCH(layer_norm_backward, &norm, 4.0 * row_bytes, BYTES, "4096 x 768");
    const gw_embedding_args embedding = {.rows = TOKENS,
                                         .width = WIDTH,
                                         .token = token,
                                         .position = position,
                                         .segment = segment,
                                         .token_scale = 1,
                                         .token_embedding = token_embedding,
                                         .position_embedding = in,
                                         .segment_embedding = dout,
                                         .out = out,
                                         .out_gradient = dout,
                                         .token_gradient = token_embedding,
                                         .position_gradient = in,
                                         .segment_gradient = din,
                                         .vocabulary = VOCABULARY,
                                         .positions = TOKENS,
                                         .segments = 2};
    BENCH(embedding, &embedding, row_bytes + table_bytes, BYTES, "4096 x 768");
    BENCH(embedding_backward, &embedding, row_bytes + 2.0 * table_bytes, BYTES, "4096 x 768");
    const gw_column_sum_args sum = {.rows = TOKENS, .width = WIDTH, .in = in, .in_stride = WIDTH, .out = bias};
    BENCH(column_sum, &sum, row_bytes, BYTES, "4096 x 768");
    const gw_rows_args rows = {.rows = TOKENS,
                               .width = WIDTH,
                               .index = position,
                               .in = in,
                               .in_stride = WIDTH,
                               .out = out,
                               .out_stride = WIDTH,
                               .out_rows = TOKENS};
    BENCH(gather_rows, &rows, 2.0 * row_bytes, BYTES, "4096 x 768");
    BENCH(scatter_add_rows, &rows, 3.0 * row_bytes, BYTES, "4096 x 768");
    free(in), free(out), free(dout), free(din), free(weight), free(bias), free(mean), free(deviation),
        free(norm.scratch);
    free(token_embedding), free(token), free(position), free(segment);
}

static void bench_values(void) {
    enum { COUNT = 1 << 24, CLASSES = 32000, ROWS = 500 };
    const double bytes = (double)COUNT * sizeof(float);
    float *in = numbers(COUNT), *out = numbers(COUNT), *dout = numbers(COUNT), *din = numbers(COUNT);
    static const struct {
        gw_activation kind;
        const char *text;
    } kinds[] = {{GW_ACTIVATION_GELU, "16 M, gelu"},
                 {GW_ACTIVATION_GELU_EXACT, "16 M, gelu exact"},
                 {GW_ACTIVATION_TANH, "16 M, tanh"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const gw_activation_args args = {
            .kind = kinds[i].kind, .count = COUNT, .in = in, .out = out, .out_gradient = dout, .in_gradient = din};
        BENCH(activation, &args, 2.0 * bytes, BYTES, kinds[i].text);
        BENCH(activation_backward, &args, 4.0 * bytes, BYTES, kinds[i].text);
    }
    const gw_dropout_args dropout = {.count = COUNT,
                                     .probability = 0.1f,
                                     .in = in,
                                     .residual = dout,
                                     .out = out,
                                     .out_gradient = dout,
                                     .in_gradient = din,
                                     .residual_gradient = dout};
    BENCH(dropout_add, &dropout, 3.0 * bytes, BYTES, "16 M values");
    BENCH(dropout_add_backward, &dropout, 3.0 * bytes, BYTES, "16 M values");
    gw_gradient_norm norm;
    const gw_gradient_norm_args whole = {.count = COUNT, .in = in, .out = &norm};
    BENCH(gradient_norm, &whole, bytes, BYTES, "16 M values");
    for (int64_t i = 0; i < COUNT; i++) out[i] = in[i] * in[i];
    const gw_adamw_args adamw = {.count = COUNT,
                                 .weight = din,
                                 .first_moment = in,
                                 .second_moment = out,
                                 .gradient = dout,
                                 .norm = &norm,
                                 .rate = 1e-4f,
                                 .beta1 = 0.9f,
                                 .beta2 = 0.999f,
                                 .epsilon = 1e-6f,
                                 .decay = 0.01f,
                                 .correction1 = 0.5f,
                                 .correction2 = 0.5f};
    BENCH(adamw, &adamw, 7.0 * bytes, BYTES, "16 M values");
    int32_t *label = indices(ROWS, CLASSES);
    const gw_cross_entropy_args cross = {.rows = ROWS,
                                         .classes = CLASSES,
                                         .logit = in,
                                         .logit_stride = CLASSES,
                                         .label = label,
                                         .loss = dout,
                                         .gradient = out,
                                         .gradient_scale = 1.0f};
    BENCH(cross_entropy, &cross, 2.0 * ROWS * CLASSES * sizeof(float), BYTES, "500 x 32000");
    const gw_bce_args bce = {.count = COUNT / 16,
                             .logit = in,
                             .label = out,
                             .labels = 1,
                             .positive_weight = (float[]){8.0f},
                             .loss = dout,
                             .gradient = din,
                             .gradient_scale = 1.0f};
    BENCH(bce, &bce, 4.0 * bytes / 16, BYTES, "1 M values");
    free(in), free(out), free(dout), free(din), free(label);
}

int main(int argc, char **argv) {
    if (argc > 1) gw_set_threads(atoi(argv[1]));
    if (argc > 2) only = argv[2];
    backend = gw_kernels();
    if (!backend) fail();
    if (gw_peak_flops(GW_F32, &peak_flops) != GW_OK || gw_peak_bytes(&peak_bytes) != GW_OK) fail();
    peak_flops *= 1e-9;
    peak_bytes *= 1e-9;
    printf("backend %s, %d threads; peak %.0f GFLOP/s in registers, %.1f GB/s copied\n", backend->name, gw_threads(),
           peak_flops, peak_bytes);
    bench_products();
    bench_attention(false);
    bench_attention(true);
    bench_rows();
    bench_values();
    return 0;
}
