// SPDX-License-Identifier: MIT
// Speed of attention over token graphs by density, beside block attention to all keys in the same run: heads of 32 of
// one sequence, edges drawn at random. They take turns; times are the fastest, of the processor, of one thread.
//   bench_token_attention [TOKENS [HEADS [RUNS [MOST]]]]        (1024, 8, 3; densities up to MOST, 1)
// A line each: density; nanoseconds an edge forward, backward, backward with 128 memberships, and of the last two in
// blocks; what forward and backward reach of the least time an edge can take, the larger of its bytes at the speed at
// which this program adds up gathered rows and its FLOPs at the processor's peak; forward and backward as shares of
// block attention's to all keys.
#include "base/memory.h"
#include "base/parallel.h"
#include "graph/pattern.h"
#include "graph/sbm.h"
#include "run/bench_peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_HEADS = 8, SIZE = 32, CLUSTERS = 128 };
// Of an edge: bytes of keys and values, and, backward, of their gradients, read and written; FLOPs.
static const double FORWARD_BYTES = 2 * SIZE * sizeof(float), BACKWARD_BYTES = 6 * SIZE * sizeof(float),
                    FORWARD_FLOPS = 4 * SIZE, BACKWARD_FLOPS = 10 * SIZE;
static int heads = MOST_HEADS;
static int64_t width = MOST_HEADS * SIZE;

static void check(gw_status status) {
    if (status == GW_OK) return;
    fprintf(stderr, "bench_token_attention: %s\n", gw_message());
    exit(1);
}

static float *numbers(int64_t count) {
    float *values = gw_alloc(count, sizeof *values);
    gw_random random = gw_random_at(1, GW_SITE_TEST, (uint64_t)count, 0);
    if (!values) check(GW_ERR_MEMORY);
    for (int64_t i = 0; i < count; i++) values[i] = gw_random_uniform(&random) - 0.5f;
    return values;
}

typedef struct {
    gw_token_attention_args token;
    gw_attention_args block;
    gw_token_graph graph[MOST_HEADS], lists[MOST_HEADS]; // bits and lists, and lists alone
    gw_sbm_memory memory[MOST_HEADS];
    gw_token_sequence sequence;
    gw_attention_sequence all;
    const gw_graph *full;
} problem;

static void draw(problem *p, int64_t tokens, double density) {
    gw_sbm_work work = {0};
    float one = 0;
    for (int h = 0; h < heads; h++) {
        const gw_sbm sbm = {.kernels = gw_kernels(),
                            .queries = tokens,
                            .keys = tokens,
                            .product = &one,
                            .key = &one,
                            .exploration = density,
                            .as_bits = true,
                            .fixed = -1,
                            .seed = (uint64_t)h};
        check(gw_sbm_draw(&sbm, &work, &p->memory[h], &p->graph[h]));
        check(gw_sbm_list(&p->memory[h], &p->graph[h]));
        p->lists[h] = p->graph[h];
        p->lists[h].bits = NULL;
    }
    gw_sbm_work_free(&work);
}

static void make(problem *p, int64_t tokens) {
    const int64_t values = tokens * width, members = tokens * heads * CLUSTERS;
    const gw_pattern pattern = {.block = 64, .full = true};
    const gw_graph_shape shape = gw_graph_square(tokens);
    gw_graph *full;
    check(gw_pattern_graph(&pattern, &shape, 0, 0, 1, tokens, &full));
    *p = (problem){.full = full};
    p->token = (gw_token_attention_args){.sequences = 1,
                                         .heads = heads,
                                         .head_size = SIZE,
                                         .scale = 0.2f,
                                         .query = numbers(values),
                                         .key = numbers(values),
                                         .value = numbers(values),
                                         .stride = width,
                                         .query_rows = tokens,
                                         .out = numbers(values),
                                         .log_sum = numbers(heads * tokens),
                                         .out_gradient = numbers(values),
                                         .query_gradient = numbers(values),
                                         .key_gradient = numbers(values),
                                         .value_gradient = numbers(values),
                                         .query_membership = numbers(members),
                                         .key_membership = numbers(members),
                                         .query_membership_gradient = numbers(members),
                                         .key_membership_gradient = numbers(members),
                                         .fixed = -1};
    p->block = (gw_attention_args){.sequences = 1,
                                   .heads = heads,
                                   .head_size = SIZE,
                                   .block = 64,
                                   .scale = 0.2f,
                                   .query = p->token.query,
                                   .key = p->token.key,
                                   .value = p->token.value,
                                   .query_stride = width,
                                   .key_stride = width,
                                   .value_stride = width,
                                   .query_rows = tokens,
                                   .key_rows = tokens,
                                   .out = p->token.out,
                                   .out_stride = width,
                                   .log_sum = p->token.log_sum,
                                   .out_gradient = p->token.out_gradient,
                                   .query_gradient = p->token.query_gradient,
                                   .key_gradient = p->token.key_gradient,
                                   .value_gradient = p->token.value_gradient};
    const int64_t forward = gw_kernels()->scratch(GW_OP_attention, &p->block),
                  backward = gw_kernels()->scratch(GW_OP_attention_backward, &p->block);
    p->block.scratch = numbers(forward > backward ? forward : backward);
}

static double least(double a, double b) {
    return a > 0 && a < b ? a : b;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double time_token(problem *p, bool backward, int clusters, bool dense) {
    p->token.clusters = clusters;
    p->sequence.graph = dense ? p->graph : p->lists;
    const double began = seconds();
    check(backward ? gw_kernels()->token_attention_backward(&p->token) : gw_kernels()->token_attention(&p->token));
    return seconds() - began;
}

static double time_block(problem *p, bool backward) {
    const double began = seconds();
    check(backward ? gw_kernels()->attention_backward(&p->block) : gw_kernels()->attention(&p->block));
    return seconds() - began;
}

// Bytes a second of rows of keys and values that are added up as the graph lists them.
#ifdef __x86_64__
__attribute__((target_clones("avx512f", "default")))
#endif
static double
gather(const problem *p, double edges) {
    typedef float row __attribute__((vector_size(4 * SIZE), aligned(4)));
    row sum = {0};
    const double began = seconds();
    for (int h = 0; h < heads; h++) {
        const gw_token_graph *graph = &p->graph[h];
        for (int64_t e = 0; e < graph->row_start[graph->queries]; e++) {
            const int64_t at = graph->column[e] * width + h * SIZE;
            sum += *(const row *)(const void *)(p->token.key + at) + *(const row *)(const void *)(p->token.value + at);
        }
    }
    const double bytes = FORWARD_BYTES * edges / (seconds() - began);
    return sum[0] == 1 ? -bytes : bytes; // the sum is used
}

typedef enum { FORWARD, BACKWARD, MEMBERS, BLOCKS, MEMBERS_BLOCKS, ALL_FORWARD, ALL_BACKWARD, TIMES } timed;

static void measure(problem *p, int64_t tokens, double density, int64_t runs) {
    double edges = 0, time[TIMES] = {0}, bytes = 0, flops;
    draw(p, tokens, density);
    p->token.sequence = &p->sequence;
    p->all = (gw_attention_sequence){.query_count = tokens, .key_count = tokens, .graphs = &p->full};
    p->block.sequence = &p->all;
    check(gw_peak_flops(GW_F32, &flops));
    for (int h = 0; h < heads; h++) edges += (double)p->graph[h].row_start[tokens];
    for (int64_t run = 0; run < runs; run++) {
        time[ALL_FORWARD] = least(time[ALL_FORWARD], time_block(p, false));
        time[ALL_BACKWARD] = least(time[ALL_BACKWARD], time_block(p, true));
        time[FORWARD] = least(time[FORWARD], time_token(p, false, 0, false));
        time[BACKWARD] = least(time[BACKWARD], time_token(p, true, 0, false));
        time[MEMBERS] = least(time[MEMBERS], time_token(p, true, CLUSTERS, false));
        time[BLOCKS] = least(time[BLOCKS], time_token(p, true, 0, true));
        time[MEMBERS_BLOCKS] = least(time[MEMBERS_BLOCKS], time_token(p, true, CLUSTERS, true));
        bytes = fmax(bytes, gather(p, edges));
    }
    const double forward = fmax(FORWARD_BYTES / bytes, FORWARD_FLOPS / flops),
                 backward = fmax(BACKWARD_BYTES / bytes, BACKWARD_FLOPS / flops);
    printf("%.3f", edges / (double)(heads * tokens * tokens));
    for (timed t = FORWARD; t <= MEMBERS_BLOCKS; t++) printf("\t%.1f", 1e9 * time[t] / edges);
    printf("\t%.0f%%\t%.0f%%\t%.2f\t%.2f\t%.1f\t%.0f\t%.3f\t%.3f\n", 100 * forward * edges / time[FORWARD],
           100 * backward * edges / time[BACKWARD], time[FORWARD] / time[ALL_FORWARD],
           time[BACKWARD] / time[ALL_BACKWARD], bytes / 1e9, flops / 1e9, time[ALL_FORWARD], time[ALL_BACKWARD]);
    fflush(stdout);
}

int main(int count, char **values) {
    static const double densities[] = {0.01, 0.05, 0.2, 0.5, 1};
    const int64_t tokens = count > 1 ? atoll(values[1]) : 1024, runs = count > 3 ? atoll(values[3]) : 3;
    const double most = count > 4 ? atof(values[4]) : 1;
    static problem p;
    heads = count > 2 && atoi(values[2]) < MOST_HEADS ? atoi(values[2]) : MOST_HEADS;
    width = (int64_t)heads * SIZE;
    gw_set_threads(1);
    make(&p, tokens);
    puts("density\tforward_ns\tbackward_ns\tmembers_ns\tblocks_ns\tmembers_blocks_ns\tforward_of_least\t"
         "backward_of_least\tforward/all\tbackward/all\tgather_GB/s\tpeak_GFLOP/s\tall_s\tall_backward_s");
    for (size_t d = 0; d < sizeof densities / sizeof *densities && densities[d] <= most; d++)
        measure(&p, tokens, densities[d], runs);
    return 0;
}
