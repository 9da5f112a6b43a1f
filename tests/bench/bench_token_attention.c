// SPDX-License-Identifier: MIT
// Speed of attention over token graphs by density, beside block attention to all keys in the same run: 8 heads of 32 of
// one sequence, edges drawn at random. They take turns; times are the fastest.
//   bench_token_attention [THREADS [TOKENS]]        (1, 1024)
// A line each: density, nanoseconds an edge forward, backward and backward with 128 memberships, GB/s of keys and
// values gathered forward, and the times of all as shares of those of block attention to all keys.
#include "base/memory.h"
#include "base/parallel.h"
#include "graph/pattern.h"
#include "graph/sbm.h"
#include "run/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADS = 8, SIZE = 32, WIDTH = HEADS * SIZE, CLUSTERS = 128, RUNS = 3 };

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
    gw_token_graph graph[HEADS];
    gw_sbm_memory memory[HEADS];
    gw_token_sequence sequence;
    gw_attention_sequence all;
    const gw_graph *full;
} problem;

static void draw(problem *p, int64_t tokens, double density) {
    gw_sbm_work work = {0};
    float one = 0;
    for (int h = 0; h < HEADS; h++) {
        const gw_sbm sbm = {.queries = tokens,
                            .keys = tokens,
                            .product = &one,
                            .key = &one,
                            .exploration = density,
                            .fixed = -1,
                            .seed = (uint64_t)h};
        check(gw_sbm_draw(&sbm, &work, &p->memory[h], &p->graph[h]));
    }
    gw_sbm_work_free(&work);
}

static void make(problem *p, int64_t tokens) {
    const int64_t values = tokens * WIDTH, members = tokens * HEADS * CLUSTERS;
    const gw_pattern pattern = {.block = 64, .full = true};
    const gw_graph_shape shape = gw_graph_square(tokens);
    gw_graph *full;
    check(gw_pattern_graph(&pattern, &shape, 0, 0, 1, tokens, &full));
    *p = (problem){.full = full};
    p->token = (gw_token_attention_args){.sequences = 1,
                                         .heads = HEADS,
                                         .head_size = SIZE,
                                         .scale = 0.2f,
                                         .query = numbers(values),
                                         .key = numbers(values),
                                         .value = numbers(values),
                                         .stride = WIDTH,
                                         .query_rows = tokens,
                                         .out = numbers(values),
                                         .log_sum = numbers(HEADS * tokens),
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
                                   .heads = HEADS,
                                   .head_size = SIZE,
                                   .block = 64,
                                   .scale = 0.2f,
                                   .query = p->token.query,
                                   .key = p->token.key,
                                   .value = p->token.value,
                                   .query_stride = WIDTH,
                                   .key_stride = WIDTH,
                                   .value_stride = WIDTH,
                                   .query_rows = tokens,
                                   .key_rows = tokens,
                                   .out = p->token.out,
                                   .out_stride = WIDTH,
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

static double time_token(problem *p, bool backward, int clusters) {
    p->token.clusters = clusters;
    const double began = gw_bench_now();
    check(backward ? gw_kernels()->token_attention_backward(&p->token) : gw_kernels()->token_attention(&p->token));
    return gw_bench_now() - began;
}

static double time_block(problem *p, bool backward) {
    const double began = gw_bench_now();
    check(backward ? gw_kernels()->attention_backward(&p->block) : gw_kernels()->attention(&p->block));
    return gw_bench_now() - began;
}

static void measure(problem *p, int64_t tokens, double density) {
    double edges = 0, time[5] = {0};
    draw(p, tokens, density);
    p->sequence = (gw_token_sequence){.graph = p->graph};
    p->token.sequence = &p->sequence;
    p->all = (gw_attention_sequence){.query_count = tokens, .key_count = tokens, .graphs = &p->full};
    p->block.sequence = &p->all;
    for (int h = 0; h < HEADS; h++) edges += (double)p->graph[h].row_start[tokens];
    for (int run = 0; run < RUNS; run++) {
        time[3] = least(time[3], time_block(p, false));
        time[4] = least(time[4], time_block(p, true));
        time[0] = least(time[0], time_token(p, false, 0));
        time[1] = least(time[1], time_token(p, true, 0));
        time[2] = least(time[2], time_token(p, true, CLUSTERS));
    }
    printf("%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.2f\t%.2f\t%.2f\n", edges / (double)(HEADS * tokens * tokens),
           1e9 * time[0] / edges, 1e9 * time[1] / edges, 1e9 * time[2] / edges,
           2.0 * SIZE * sizeof(float) * edges / time[0] / 1e9, time[0] / time[3], time[1] / time[4], time[2] / time[4]);
}

int main(int count, char **values) {
    static const double densities[] = {0.01, 0.05, 0.2, 0.5, 1};
    const int64_t tokens = count > 2 ? atoll(values[2]) : 1024;
    static problem p;
    gw_set_threads(count > 1 ? atoi(values[1]) : 1);
    make(&p, tokens);
    puts("density\tforward_ns\tbackward_ns\tmembers_ns\tgather_GB/s\tforward/all\tbackward/all\tmembers/all");
    for (size_t d = 0; d < sizeof densities / sizeof *densities; d++) measure(&p, tokens, densities[d]);
    return 0;
}
