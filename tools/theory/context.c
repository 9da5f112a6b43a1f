// SPDX-License-Identifier: MIT
// godwit-theory context: builds Big Bird's contextual mapping and checks it on every input of a grid.
#include "base/memory.h"
#include "graph/build.h"
#include "graph/pattern.h"
#include "tools/cli/cli.h"
#include "tools/picture/picture.h"
#include "tools/theory/context_proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading out ---------------------------------------------------------------------------------------------------

// Lemma 4: z <- z + w phi(u.z - c), one layer with hidden dimension 1 for each context c, where phi is the indicator of
// (-delta/2, delta/2), a piecewise linear function of three constant pieces. The token whose context is c is known, and
// so is its vector z: w = f(P)_i - z puts the value of f in its place. Contexts are at least delta apart, and larger
// than u.f(P)_i ever is, so that each token meets its own layer alone.

// The sample function: f(P)_i = x_(n+1-i) times the mean of all coordinates of x = P - E. It needs the whole input, and
// it moves values from one token to another.
static void sample(const gw_context *c, int64_t p, int i, int t, mpq_t out) {
    long sum = 0;
    for (int j = 0; j < c->n; j++)
        for (int k = 0; k < c->d; k++) sum += gw_context_digit(c, p, j, k);
    const long scale = (long)c->m * c->m * c->n * c->d;
    mpq_set_si(out, sum * gw_context_digit(c, p, c->n - 1 - i, t), (unsigned long)scale);
    mpq_canonicalize(out);
}

static void inner_product(const gw_context *c, mpq_t *z, mpq_t out) {
    mpq_set_ui(out, 0, 1);
    for (int t = 0; t <= c->d; t++) gw_exact_add_product(out, c->u[t], z[t]);
}

// All layers in their order on one token; z [d + 1] changes.
static void apply_layers(const gw_context *c, mpq_t *weights, mpq_t *z) {
    const int width = c->d + 1;
    mpq_t inner, distance, half;
    mpq_inits(inner, distance, half, NULL);
    mpq_set_ui(half, 1, 2 * (unsigned long)c->m);
    inner_product(c, z, inner);
    for (int64_t layer = 0; layer < c->inputs * c->n; layer++) {
        mpq_sub(distance, inner, c->context[layer]);
        mpq_abs(distance, distance);
        if (mpq_cmp(distance, half) >= 0) continue; // phi = 0
        for (int t = 0; t < width; t++) mpq_add(z[t], z[t], weights[layer * width + t]);
        inner_product(c, z, inner);
    }
    mpq_clears(inner, distance, half, NULL);
}

static bool is_sample(const gw_context *c, int64_t place, mpq_t *z) {
    mpq_t want;
    mpq_init(want);
    bool equal = true;
    for (int t = 0; t < c->d && equal; t++) {
        sample(c, place / c->n, (int)(place % c->n), t, want);
        equal = mpq_equal(want, z[t]);
    }
    mpq_clear(want);
    return equal;
}

// Lemma 4: one feed-forward layer for each (input, token) adds a constant vector where u.z is that token's context, and
// so puts f(P)_i in its place. On success the count of layers and tokens checked; tells in `failure` what is not f.
static gw_status read_out_contexts(gw_context *c, int64_t *layers) {
    const int width = c->d + 1;
    const int64_t places = *layers = c->inputs * c->n;
    mpq_t *weights = gw_exact_new(places * width), *z = gw_exact_new(width);
    for (int64_t i = 0; weights && z && i < places; i++)
        for (int t = 0; t < width; t++) {
            if (t < c->d) sample(c, i / c->n, (int)(i % c->n), t, weights[i * width + t]);
            mpq_sub(weights[i * width + t], weights[i * width + t], c->column[i * width + t]);
        }
    for (int64_t i = 0; weights && z && i < places; i++) {
        for (int t = 0; t < width; t++) mpq_set(z[t], c->column[i * width + t]);
        apply_layers(c, weights, z);
        c->checks++;
        if (is_sample(c, i, z) || c->failure.length > 0) continue;
        gw_string_printf(&c->failure, "the read-out is not f at token %d of ", (int)(i % c->n) + 1);
        gw_context_print_input(c, i / c->n, &c->failure);
    }
    const gw_status status = weights && z ? GW_OK : GW_ERR_MEMORY;
    gw_exact_free(weights, places * width);
    gw_exact_free(z, width);
    return status;
}

// --- the command ----------------------------------------------------------------------------------------------------

typedef struct {
    int64_t n, d, inverse_delta;
    const char *graph, *picture;
    bool printed;
} context_arguments;

static const context_arguments defaults = {.n = 3, .d = 1, .inverse_delta = 2, .graph = "star"};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Grid"},
    {GW_OPTION_INT, 'n', "tokens", "N", offsetof(context_arguments, n), "tokens beside the global one", .min = 2,
     .max = 8},
    {GW_OPTION_INT, 'd', "width", "N", offsetof(context_arguments, d), "coordinates of a token", .min = 1, .max = 8},
    {GW_OPTION_INT, 0, "inverse-delta", "N", offsetof(context_arguments, inverse_delta), "1/delta", .min = 2,
     .max = 16},
    {GW_OPTION_CHOICE, 'g', "graph", "NAME", offsetof(context_arguments, graph), "the attention graph",
     .choices = "star|bigbird|full|window"},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_FLAG, 0, "printed", NULL, offsetof(context_arguments, printed),
     "take each step of the proof as printed, one at a time, and name a counter-example"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(context_arguments, picture),
     "draw the inner products of the largest input through the phases: .png or .svg", .writes = true,
     .endings = GW_PICTURE_ENDINGS},
    {.help = NULL},
};

// BigBird's parts with one token a block, as many as so few tokens allow.
static gw_status make_graph(const char *name, int tokens, gw_graph **out) {
    if (strcmp(name, "star") == 0) {
        // Token 0 reads all and is read by all; a token reads itself.
        gw_block_lists lists = {.block = 1, .blocks = tokens};
        int32_t all[64];
        for (int32_t i = 0; i < tokens; i++) all[i] = i;
        gw_status status = gw_block_lists_add(&lists, all, tokens);
        for (int32_t i = 1; i < tokens && status == GW_OK; i++)
            status = gw_block_lists_add(&lists, (int32_t[]){0, i}, 2);
        if (status == GW_OK) status = gw_graph_build(&lists, out);
        gw_block_lists_free(&lists);
        return status;
    }
    const char *spec = strcmp(name, "full") == 0     ? "full+block:1"
                       : strcmp(name, "window") == 0 ? "window:3+block:1"
                       : tokens >= 5                 ? "window:3+global:1+random:1+block:1"
                                                     : "window:3+global:1+block:1";
    const gw_graph_shape shape = gw_graph_square(tokens);
    gw_pattern pattern;
    GW_TRY(gw_pattern_parse(spec, &pattern));
    return gw_pattern_graph(&pattern, &shape, 0, 0, 1, tokens, out);
}

static gw_status draw(const context_arguments *a, const gw_context *c) {
    const int steps = 2 * c->n + 2, tokens = c->n + 1;
    gw_picture_series *series = gw_alloc(tokens, sizeof *series);
    double *numbers = gw_alloc((tokens + 1) * steps, sizeof *numbers);
    char(*names)[32] = gw_alloc(tokens, sizeof *names);
    gw_status status = series && numbers && names ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < tokens; i++) {
        for (int s = 0; s < steps; s++) {
            numbers[s] = s;
            numbers[(i + 1) * steps + s] = c->trace[s * tokens + i];
        }
        snprintf(names[i], sizeof names[i], i == 0 ? "global token" : "token %d", i);
        series[i] = (gw_picture_series){names[i], numbers, numbers + (i + 1) * steps, steps};
    }
    if (status == GW_OK)
        status = gw_picture_lines(a->picture, "Contextual mapping: u.X of each token",
                                  "step: low and high shift of each phase, then the last layer",
                                  "log10 of the inner product", series, tokens);
    free(series);
    free(numbers);
    free(names);
    return status;
}

static gw_status run_repaired(const context_arguments *a, const gw_graph *graph) {
    gw_context c;
    int64_t layers = 0;
    gw_status status = gw_context_run(&c, (int)a->n, (int)a->d, (int)a->inverse_delta, 0, graph);
    if (status == GW_OK && c.failure.length == 0) status = read_out_contexts(&c, &layers);
    if (status == GW_OK) {
        printf("measure\tvalue\ngraph\t%s\ntokens\t%d\nwidth\t%d\ndelta\t1/%d\ninputs\t%lld\n", a->graph, c.n, c.d, c.m,
               (long long)c.inputs);
        printf("shift_layers\t%lld\nshift_layers_an_input\t%lld\nproduct_layers\t%lld\n", (long long)c.shifts,
               (long long)c.least_shifts, (long long)c.product_shifts);
        printf("checks\t%lld\ncontextual_mapping\t%s\n", (long long)c.checks, c.failure.length == 0 ? "yes" : "no");
        if (c.failure.length > 0) printf("counter_example\t%s\n", c.failure.data);
        else printf("read_out_layers\t%lld\nread_out_equals_f\tyes\n", (long long)layers);
    }
    if (status == GW_OK && a->picture) status = draw(a, &c);
    const bool star = strcmp(a->graph, "window") != 0;
    if (status == GW_OK && star && c.failure.length > 0)
        status = gw_fail(GW_ERR_MISMATCH, "the construction fails: %s", c.failure.data);
    gw_context_free(&c);
    return status;
}

static gw_status run_printed(const context_arguments *a, const gw_graph *graph) {
    static const struct {
        gw_printed printed;
        const char *what;
    } rows[] = {
        {GW_PRINTED_LEMMA2, "Lemma 2: b on the key"},
        {GW_PRINTED_GRID, "grid with both ends, [0,1]"},
        {GW_PRINTED_LOW_RANGE, "low shifts over [delta^-(k-1)d, delta^-kd)"},
        {GW_PRINTED_BASE, "base case S_0 = delta^-(n+1)d"},
        {GW_PRINTED_BOUNDS, "S_k, T_k of (LP), (UP)"},
        {GW_PRINTED_FACTOR, "low shifts by delta^-d"},
        {GW_PRINTED_LAST_RANGE, "last layers over [S_1, T_n)"},
        {GW_PRINTED_LAST_FACTOR, "last layer by delta^-(n^2 d)"},
    };
    puts("as_printed\tcounter_example");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gw_context c;
        const gw_status status =
            gw_context_run(&c, (int)a->n, (int)a->d, (int)a->inverse_delta, (unsigned)rows[i].printed, graph);
        if (status == GW_OK)
            printf("%s\t%s\n", rows[i].what, c.failure.length > 0 ? c.failure.data : "none on this grid");
        gw_context_free(&c);
        GW_TRY(status);
    }
    return GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    const context_arguments *a = arguments;
    (void)operands, (void)count;
    double inputs = 1;
    for (int64_t i = 0; i < a->n * a->d; i++) inputs *= (double)a->inverse_delta;
    if (inputs > 20000)
        return gw_fail(GW_ERR_USAGE, "a grid of %.0f inputs; every one is checked, and at most 20000 are taken",
                       inputs);
    gw_graph *graph;
    GW_TRY(make_graph(a->graph, (int)a->n + 1, &graph));
    const gw_status status = a->printed ? run_printed(a, graph) : run_repaired(a, graph);
    gw_graph_free(graph);
    return status;
}

const gw_command gw_theory_context = {
    .name = "context",
    .group = "Big Bird",
    .summary = "the contextual mapping by selective shifts (appendix A.2)",
    .usage = "[-n N] [-d N] [--inverse-delta N] [-g GRAPH] [options]",
    .description =
        "Builds the attention layers of Lemma 3 in exact rationals and runs them on every input of the grid: after "
        "each phase the invariants and the order of inner products, at the end distinct contexts within and between "
        "all inputs, by sorting. Then the feed-forward read-out of Lemma 4 gives a sample function on the whole grid. "
        "Each shift is also done by godwit's own f32 attention for as long as f32 holds the numbers exactly.\n"
        "The window graph has no star: two inputs that it cannot tell apart are named.",
    .examples = "godwit-theory context -n 3 -d 1 --inverse-delta 3 -o context.svg\n"
                "godwit-theory context -n 2 -d 2 --printed\n"
                "godwit-theory context -g window",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
