// SPDX-License-Identifier: MIT
// godwit-theory furthest: Big Bird's appendix C. One dense layer finds the furthest of n unit vectors. Sparse patterns
// need several layers; each keeps the better of its present candidates and those that it reads.
//
// Dense, equations (9) to (11): x_i = [u_i; 0], Q [a; b] = -a, K [a; b] = a, V [a; b] = [0; a], and the residual gives
// [u_i; u_i*]. Sparse: a token holds [u_i; v_i], with v_i = u_i at first. A layer has two heads, with a and b of each
// neighbour as keys and values, and a feed-forward part that keeps, of v_i and the heads' results, the one furthest
// from u_i.
#include "base/memory.h"
#include "base/random.h"
#include "graph/pattern.h"
#include "tools/cli/cli.h"
#include "tools/picture/picture.h"
#include "tools/theory/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int64_t n, layers, seed;
    const char *picture;
} furthest_arguments;

static const furthest_arguments defaults = {.n = 256, .layers = 512, .seed = 1};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Task"},
    {GW_OPTION_INT, 'n', "vectors", "N", offsetof(furthest_arguments, n), "unit vectors of ceil(log2(n)^2) numbers",
     .min = 16, .max = 4096},
    {GW_OPTION_INT, 0, "layers", "N", offsetof(furthest_arguments, layers), "sparse layers at most", .min = 1,
     .max = 100000},
    {GW_OPTION_INT, 's', "seed", "N", offsetof(furthest_arguments, seed), "of the vectors and random patterns",
     .min = 0, .max = 1 << 30},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(furthest_arguments, picture),
     "draw the fraction solved against inner products: .png or .svg", .writes = true, .endings = GW_PICTURE_ENDINGS},
    {.help = NULL},
};

typedef struct {
    int64_t n, d;
    double *u;         // [n][d]
    int64_t *furthest; // [n] by squared distances
} task;

static double inner(const task *t, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < t->d; k++) sum += t->u[i * t->d + k] * t->u[j * t->d + k];
    return sum;
}

static double squared_distance(const task *t, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < t->d; k++) {
        const double difference = t->u[i * t->d + k] - t->u[j * t->d + k];
        sum += difference * difference;
    }
    return sum;
}

// Solved: no number of the second half is further than this from u_i*.
static const double NEAR = 1e-3;

// Dense attention with softmax of scores / temperature, by godwit's kernel.
static gw_status solve_soft(const task *t, double temperature, double *share) {
    const int64_t count = t->n * t->d;
    float *numbers = gw_alloc(3 * count, sizeof *numbers), *query = numbers, *key = query + count, *out = key + count;
    if (!numbers) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        key[i] = (float)t->u[i];
        query[i] = -key[i];
    }
    const gw_status status =
        gw_product_attention(NULL, t->n, t->n, (int)t->d, (float)(1 / temperature), query, key, key, out);
    int64_t solved = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double largest = 0;
        for (int64_t k = 0; k < t->d; k++)
            largest = fmax(largest, fabs(out[i * t->d + k] - t->u[t->furthest[i] * t->d + k]));
        solved += largest <= NEAR;
    }
    *share = (double)solved / (double)t->n;
    free(numbers);
    return status;
}

typedef struct {
    const char *name, *spec;
    bool fresh; // other random blocks in every layer
} sparse_pattern;

static const sparse_pattern patterns[] = {
    {"window of 9", "window:9+block:1", false},
    {"8 random, the same in all layers", "random:8+block:1", false},
    {"8 random, new in each layer", "random:8+block:1", true},
    {"BigBird: window 3, 2 global, 4 random", "window:3+global:2+random:4+block:1", false},
    {"BigBird, new random blocks in each layer", "window:3+global:2+random:4+block:1", true},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

typedef struct {
    double *products, *share; // [layers + 1] inner products a token so far, fraction solved
    int64_t layers;           // done
} sparse_curve;

// One layer; carried [n] changes. Returns the inner products that it takes: two an edge, and one with what is carried.
static int64_t run_layer(const task *t, const gw_graph *graph, int64_t *carried, int64_t *before) {
    for (int64_t i = 0; i < t->n; i++) before[i] = carried[i];
    for (int64_t i = 0; i < t->n; i++) {
        double best = inner(t, i, carried[i]);
        for (int64_t e = graph->row_start[i]; e < graph->row_start[i + 1]; e++) {
            const int64_t candidates[] = {graph->column[e], before[graph->column[e]]};
            for (int c = 0; c < 2; c++) {
                const double product = inner(t, i, candidates[c]);
                if (product >= best) continue;
                best = product;
                carried[i] = candidates[c];
            }
        }
    }
    return 2 * graph->edges + t->n;
}

static gw_status run_pattern(const task *t, const sparse_pattern *p, uint64_t seed, int64_t most, sparse_curve *curve) {
    gw_pattern pattern;
    const gw_graph_shape shape = gw_graph_square(t->n);
    GW_TRY(gw_pattern_parse(p->spec, &pattern));
    pattern.seed = seed;
    int64_t *carried = gw_alloc(2 * t->n, sizeof *carried), products = 0, solved = 0;
    gw_status status = carried ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; carried && i < t->n; i++) carried[i] = i;
    for (int64_t layer = 0; status == GW_OK && layer < most && solved < t->n; layer++) {
        gw_graph *graph;
        status = gw_pattern_graph(&pattern, &shape, p->fresh ? (int)layer : 0, 0, 1, t->n, &graph);
        if (status != GW_OK) break;
        products += run_layer(t, graph, carried, carried + t->n);
        gw_graph_free(graph);
        solved = 0;
        for (int64_t i = 0; i < t->n; i++) solved += carried[i] == t->furthest[i];
        curve->products[layer] = (double)products / (double)t->n;
        curve->share[layer] = (double)solved / (double)t->n;
        curve->layers = layer + 1;
    }
    free(carried);
    return status;
}

static gw_status run_sparse(const task *t, const furthest_arguments *a) {
    sparse_curve curves[PATTERNS];
    double *numbers = gw_alloc(2 * PATTERNS * a->layers, sizeof *numbers);
    gw_status status = numbers ? GW_OK : GW_ERR_MEMORY;
    printf("\npattern\tlayers\tinner_products_a_token\tsolved\ndense\t1\t%lld\t1.0000\n", (long long)t->n);
    for (int p = 0; p < PATTERNS && status == GW_OK; p++) {
        curves[p] = (sparse_curve){numbers + 2 * p * a->layers, numbers + (2 * p + 1) * a->layers, 0};
        status = run_pattern(t, &patterns[p], (uint64_t)a->seed, a->layers, &curves[p]);
        if (status == GW_OK) {
            for (int64_t layer = 1; layer <= curves[p].layers;
                 layer = layer < curves[p].layers && 2 * layer > curves[p].layers ? curves[p].layers : 2 * layer)
                printf("%s\t%lld\t%.0f\t%.4f\n", patterns[p].name, (long long)layer, curves[p].products[layer - 1],
                       curves[p].share[layer - 1]);
        }
    }
    if (status == GW_OK && a->picture) {
        gw_picture_series series[PATTERNS + 1];
        const double n = (double)t->n, one = 1;
        for (int p = 0; p < PATTERNS; p++)
            series[p] = (gw_picture_series){patterns[p].name, curves[p].products, curves[p].share, curves[p].layers};
        series[PATTERNS] = (gw_picture_series){"one dense layer", &n, &one, 1, GW_CURVE_DOTS};
        const gw_picture_panel panel = {"Furthest vector: fraction solved",
                                        "inner products a token",
                                        "fraction of tokens",
                                        true,
                                        series,
                                        PATTERNS + 1};
        status = gw_picture_panels(a->picture, &panel, 1);
    }
    free(numbers);
    return status;
}

static gw_status run_task(task *t, const furthest_arguments *a) {
    const uint64_t seed = (uint64_t)a->seed;
    for (int64_t i = 0; i < t->n; i++) {
        gw_random random = gw_random_at(seed, GW_SITE_PROOF, (uint64_t)i, 1);
        for (int64_t k = 0; k < t->d; k++) t->u[i * t->d + k] = gw_random_normal(&random);
        const double length = sqrt(inner(t, i, i));
        for (int64_t k = 0; k < t->d; k++) t->u[i * t->d + k] /= length;
    }
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t j = 0; j < t->n; j++)
            if (squared_distance(t, i, j) > squared_distance(t, i, t->furthest[i])) t->furthest[i] = j;
    // Dense attention with hardmax: the share of tokens whose second half is exactly u_i*.
    int64_t solved = 0;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < t->n; j++)
            if (-inner(t, i, j) > -inner(t, i, best)) best = j;
        solved += best == t->furthest[i];
    }
    const double hard = (double)solved / (double)t->n;
    printf("vectors\t%lld\nwidth\t%lld\ndense_hardmax_solved\t%.4f\n\ntemperature\tdense_softmax_solved\n",
           (long long)t->n, (long long)t->d, hard);
    for (double temperature = 1; temperature > 5e-7; temperature /= 10) {
        double share;
        GW_TRY(solve_soft(t, temperature, &share));
        printf("%g\t%.4f\n", temperature, share);
    }
    GW_TRY(run_sparse(t, a));
    return hard == 1 ? GW_OK : gw_fail(GW_ERR_MISMATCH, "hardmax attention finds %g of the furthest vectors", hard);
}

static gw_status run(void *arguments, char **operands, int count) {
    const furthest_arguments *a = arguments;
    (void)operands, (void)count;
    const double logarithm = log2((double)a->n);
    task t = {.n = a->n, .d = (int64_t)ceil(logarithm * logarithm)};
    t.u = gw_alloc(t.n * t.d, sizeof *t.u);
    t.furthest = gw_alloc(t.n, sizeof *t.furthest);
    const gw_status status = t.u && t.furthest ? run_task(&t, a) : GW_ERR_MEMORY;
    free(t.u);
    free(t.furthest);
    return status;
}

const gw_command gw_theory_furthest = {
    .name = "furthest",
    .group = "Big Bird",
    .summary = "the furthest of n vectors: one dense layer, many sparse ones (appendix C)",
    .usage = "[-n N] [options]",
    .description =
        "Finds the furthest of n random unit vectors for each of them: by one dense layer with hardmax, by the "
        "same layer with softmax at falling temperature through godwit's attention, and by layers of sparse "
        "patterns that keep the better of what they carry and what they read (a neighbour's vector and the one "
        "that it carries). This illustrates the paper's lower bound for sparse patterns; it proves nothing.",
    .examples = "godwit-theory furthest -n 256 -o furthest.svg",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
