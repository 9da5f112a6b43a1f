// SPDX-License-Identifier: MIT
// Graphs token by token: what each part of a spec means, against plain loops over pairs of tokens, for queries that are
// all tokens, the last ones of kept keys from any position on, or a single one.
#include "graph/pattern.h"
#include "tests/kernel/graphs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 80 };
typedef struct {
    int listed[MOST][MOST]; // how often query i reads key j
} token_mask;

static const gw_graph_shape shapes[] = {{72, 72, 0},  {50, 50, 0},  {17, 50, 33}, {1, 50, 49},
                                        {24, 64, 16}, {30, 64, 13}, {64, 80, 16}, {3, 7, 4}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static gw_graph *made(const char *spec, const gw_graph_shape *shape) {
    gw_pattern pattern;
    gw_graph *graph;
    cr_assert_eq(gw_pattern_parse(spec, &pattern), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_pattern_graph(&pattern, shape, 2, 1, 4, 128, &graph), GW_OK, "%s", gw_message());
    return graph;
}

static token_mask mask_of(const gw_graph *graph, const gw_graph_shape *shape) {
    token_mask mask = {0};
    for (int i = 0; i < shape->queries; i++) {
        const int row = i / graph->block;
        for (int64_t e = graph->row_start[row]; e < graph->row_start[row + 1]; e++)
            for (int j = graph->column[e] * graph->block; j < (graph->column[e] + 1) * graph->block; j++)
                if (j < shape->keys && test_graph_reads(graph, e, i, j))
                    mask.listed[i][j] = graph->log_multiplicity ? (int)lroundf(expf(graph->log_multiplicity[e])) : 1;
    }
    return mask;
}

static token_mask mask_of_spec(const char *spec, const gw_graph_shape *shape) {
    gw_graph *graph = made(spec, shape);
    const token_mask mask = mask_of(graph, shape);
    gw_graph_free(graph);
    return mask;
}

static void expect_mask(const char *what, const gw_graph_shape *shape, const token_mask *found,
                        const token_mask *wanted) {
    for (int i = 0; i < shape->queries; i++)
        for (int j = 0; j < shape->keys; j++)
            cr_assert_eq(found->listed[i][j], wanted->listed[i][j],
                         "%s: %d queries from %d, %d keys: query %d lists key %d %d times, expected %d", what,
                         (int)shape->queries, (int)shape->offset, (int)shape->keys, i, j, found->listed[i][j],
                         wanted->listed[i][j]);
}

// What the parts without chance mean for a query at position p.
typedef struct {
    const char *spec;
    int block, window, global, band;
    bool full, causal, at_start;
} rule;

static bool rule_reads(const rule *r, const gw_graph_shape *shape, int p, int j) {
    const int blocks = ((int)shape->keys + r->block - 1) / r->block, row = p / r->block, column = j / r->block;
    const int head = r->at_start ? r->global : (r->global + 1) / 2, tail = blocks - (r->global - head);
    if (r->causal && j > p) return false;
    if (shape->global && (shape->global[p] || shape->global[j])) return true;
    if (r->full || (r->band == 0 && blocks < r->window + r->global)) return true;
    if (row < head || row >= tail || column < head || column >= tail) return true;
    if (r->window > 0 && abs(row - column) <= r->window / 2) return true;
    return r->band > 0 && abs(p - j) <= r->band;
}

static const rule rules[] = {
    {"full+block:8", 8, .full = true},
    {"full+causal+block:8", 8, .full = true, .causal = true},
    {"window:3+block:8", 8, .window = 3},
    {"window:3+causal+block:8", 8, .window = 3, .causal = true},
    {"longformer+block:8", 8, .window = 3, .global = 2},
    {"causal+longformer+global:3+block:8", 8, .window = 3, .global = 3, .causal = true},
    {"band:1+block:8", 8, .band = 1},
    {"band:20+block:8", 8, .band = 20},
    {"band:8+block:13", 13, .band = 8},
    {"band:15+causal+block:8", 8, .band = 15, .causal = true},
    {"band:2+causal+block:8", 8, .band = 2, .causal = true},
    {"band:30+window:3+global:1+block:8", 8, .window = 3, .global = 1, .band = 30},
    {"band:5+window:3+global:2+causal+block:8", 8, .window = 3, .global = 2, .band = 5, .causal = true},
    {"band+block:8", 8, .band = 256},
    {"window:1+global:2@start+block:8", 8, .window = 1, .global = 2, .at_start = true},
    {"global:3@start+causal+block:8", 8, .global = 3, .at_start = true, .causal = true},
    {"longformer+global:1@start+block:8", 8, .window = 3, .global = 1, .at_start = true},
    {"global:4@start+band:9+block:8", 8, .band = 9, .global = 4, .at_start = true},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static token_mask mask_of_rule(const rule *r, const gw_graph_shape *shape) {
    token_mask mask = {0};
    for (int i = 0; i < shape->queries; i++)
        for (int j = 0; j < shape->keys; j++) mask.listed[i][j] = rule_reads(r, shape, (int)shape->offset + i, j);
    return mask;
}

static bool has_kind(const gw_graph *graph, gw_edge_kind kind) {
    int64_t e = 0;
    while (graph->kind && e < graph->edges && graph->kind[e] != kind) e++;
    return graph->kind && e < graph->edges;
}

Test(graph_tokens, parts_mean_what_is_said) {
    for (int r = 0; r < RULES; r++)
        for (int s = 0; s < SHAPES; s++) {
            gw_graph *graph = made(rules[r].spec, &shapes[s]);
            const token_mask found = mask_of(graph, &shapes[s]), wanted = mask_of_rule(&rules[r], &shapes[s]);
            expect_mask(rules[r].spec, &shapes[s], &found, &wanted);
            if (shapes[s].offset % rules[r].block == 0)
                cr_assert(!has_kind(graph, GW_EDGE_BITS), "%s: bits where an interval says it", rules[r].spec);
            gw_graph_free(graph);
        }
}

// Queries from any position on have the rows of the square graph; causality cuts it.
Test(graph_tokens, drawn_parts_have_the_rows_of_the_square_graph) {
    static const char *const specs[] = {"random:2", "random:1+window:3+global:2", "random:2+band:9", "itc/set+random:1",
                                        "itc/set+random:1+global:2@start"};
    for (int p = 0; p < 5; p++)
        for (int s = 0; s < SHAPES; s++) {
            char spec[64], causal[80];
            snprintf(spec, sizeof spec, "%s+block:8", specs[p]);
            snprintf(causal, sizeof causal, "%s+causal", spec);
            const gw_graph_shape square = gw_graph_square(shapes[s].keys);
            const token_mask whole = mask_of_spec(spec, &square), found = mask_of_spec(spec, &shapes[s]),
                             cut = mask_of_spec(causal, &shapes[s]);
            token_mask wanted = {0}, wanted_cut = {0};
            for (int i = 0; i < shapes[s].queries; i++)
                for (int j = 0; j < shapes[s].keys; j++) {
                    const int position = (int)shapes[s].offset + i;
                    wanted.listed[i][j] = whole.listed[position][j];
                    wanted_cut.listed[i][j] = j <= position ? whole.listed[position][j] : 0;
                }
            expect_mask(spec, &shapes[s], &found, &wanted);
            expect_mask(causal, &shapes[s], &cut, &wanted_cut);
        }
}

// Blocks that are listed twice stay so, causally too.
Test(graph_tokens, multiplicities_are_cut_not_lost) {
    const gw_graph_shape square = gw_graph_square(72), last = {.queries = 24, .keys = 72, .offset = 48};
    const token_mask whole = mask_of_spec("itc/hf-eval+random:1+block:8", &square),
                     cut = mask_of_spec("itc/hf-eval+random:1+block:8+causal", &last);
    token_mask wanted = {0};
    for (int i = 0; i < 24; i++)
        for (int j = 0; j <= 48 + i; j++) wanted.listed[i][j] = whole.listed[48 + i][j];
    cr_assert_eq(wanted.listed[5][0], 2);
    expect_mask("itc/hf-eval+causal", &last, &cut, &wanted);
}

// Global tokens of the input: none, some, a whole block, all.
Test(graph_tokens, structure_of_the_input) {
    uint8_t global[MOST] = {0};
    for (int kind = 0; kind < 4; kind++) {
        for (int j = 0; j < MOST; j++)
            global[j] = kind == 3 || (kind == 2 && j / 8 == 4) || (kind > 0 && (j == 2 || j == 21));
        for (int r = 0; r < RULES; r++)
            for (int s = 0; s < SHAPES; s++) {
                gw_graph_shape shape = shapes[s];
                shape.global = global, shape.flags = shape.keys;
                const token_mask found = mask_of_spec(rules[r].spec, &shape), wanted = mask_of_rule(&rules[r], &shape);
                expect_mask(rules[r].spec, &shape, &found, &wanted);
            }
    }
}

// A column of global keys is one set of bits, however many rows read it.
Test(graph_tokens, bits_are_shared) {
    uint8_t global[64] = {[3] = 1};
    const gw_graph_shape shape = {64, 64, 0, global, 64};
    gw_graph *graph = made("window:1+block:4", &shape);
    int64_t cells = 0, most = 0;
    for (int64_t e = 0; e < graph->edges; e++) {
        if (graph->kind[e] != GW_EDGE_BITS) continue;
        cells++;
        most = graph->bits_index[e] > most ? graph->bits_index[e] : most;
    }
    cr_assert_eq(cells, 2 * 15);
    cr_assert_leq(most, 1);
    gw_graph_free(graph);
}

static void expect_no_graph(const char *spec, const gw_graph_shape *shape, const char *said) {
    gw_pattern pattern;
    gw_graph *graph;
    cr_assert_eq(gw_pattern_parse(spec, &pattern), GW_OK);
    cr_assert_neq(gw_pattern_graph(&pattern, shape, 0, 0, 1, 128, &graph), GW_OK, "%s", spec);
    cr_assert(strstr(gw_message(), said) != NULL, "%s", gw_message());
}

Test(graph_tokens, shapes_without_a_meaning) {
    const gw_graph_shape past = {.queries = 40, .keys = 64, .offset = 30},
                         within = {.queries = 20, .keys = 64, .offset = 30}, none = {.queries = 0, .keys = 64};
    expect_no_graph("window:1+block:8", &past, "40 queries from position 30 on read 64 keys");
    expect_no_graph("itc+random:1+block:8", &within, "begin a block of 8, not at position 30");
    expect_no_graph("full+block:8", &none, "no attention graph for 0 tokens");
    gw_graph *graph = made("full+block:8", &past); // cross attention knows no positions
    cr_assert(graph->query_blocks == 5 && graph->key_blocks == 8 && graph->edges == 40);
    gw_graph_free(graph);
}
