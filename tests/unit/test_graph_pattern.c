// SPDX-License-Identifier: MIT
// Pattern specs, the rows of their graphs, transposes, length rules and the cache.
#include "graph/source.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_pattern parsed(const char *spec) {
    gw_pattern pattern;
    cr_assert_eq(gw_pattern_parse(spec, &pattern), GW_OK, "%s: %s", spec, gw_message());
    return pattern;
}

static gw_graph *made(const char *spec, int64_t tokens, int layer, int head) {
    const gw_pattern pattern = parsed(spec);
    const gw_graph_shape shape = gw_graph_square(tokens);
    gw_graph *graph;
    cr_assert_eq(gw_pattern_graph(&pattern, &shape, layer, head, 12, 4096, &graph), GW_OK, "%s", gw_message());
    return graph;
}

static void expect_text(const char *spec, const char *wanted) {
    const gw_pattern pattern = parsed(spec);
    char *text = gw_pattern_text(&pattern);
    cr_assert_str_eq(text, wanted, "%s", spec);
    const gw_pattern again = parsed(text);
    cr_assert(again.block == pattern.block && again.window == pattern.window && again.global == pattern.global &&
              again.random == pattern.random && again.full == pattern.full && again.tables == pattern.tables &&
              again.seed == pattern.seed && again.band == pattern.band && again.causal == pattern.causal &&
              again.every == pattern.every && again.at_start == pattern.at_start);
    free(text);
}

Test(graph_pattern, specs_and_their_text) {
    expect_text("itc", "itc");
    expect_text("random:2+itc+block:16", "itc+random:2+block:16");
    expect_text("window:3+global:2+random:3", "window:3+global:2+random:3");
    expect_text("longformer", "window:3+global:2");
    expect_text("longformer+window:9+block:32", "window:9+global:2+block:32");
    expect_text("window", "window:3");
    expect_text("random", "random:3");
    expect_text("random+window+seed:9223372036854775807", "window:3+random:3+seed:9223372036854775807");
    expect_text("global:5", "global:5");
    expect_text("global:2@start+itc", "itc+global:2@start");
    expect_text("itc/set+global@start+random:1+block:8", "itc/set+global:2@start+random:1+block:8");
    expect_text("longformer+global:3@start", "window:3+global:3@start");
    expect_text("global@start+band:9", "global:2@start+band:9");
    expect_text("full", "full");
    expect_text("full+block:128", "full+block:128");
    expect_text("itc/seeded", "itc");
    expect_text("itc/hf-eval", "itc/hf-eval");
    expect_text("block:16+itc/google+random:1", "itc/google+random:1+block:16");
    expect_text("itc/set", "itc/set");
    expect_text("causal+full", "full+causal");
    expect_text("itc+causal", "itc+causal");
    expect_text("causal+block:32+band:100+window", "window:3+band:100+causal+block:32");
    expect_text("band", "band:256");
    expect_text("every+band:64", "band:64+every:3");
    expect_text("causal+window+every:2+block:16", "window:3+causal+every:2+block:16");
}

static void expect_refusal(const char *spec, const char *said) {
    gw_pattern pattern;
    cr_assert_eq(gw_pattern_parse(spec, &pattern), GW_ERR_FORMAT, "%s", spec);
    cr_assert(strstr(gw_message(), said) != NULL, "%s: %s", spec, gw_message());
}

Test(graph_pattern, wrong_specs_are_named) {
    expect_refusal("", "unknown part ''");
    expect_refusal("itcc", "unknown part 'itcc'; known are itc[/TABLES], longformer, full, window[:W]");
    expect_refusal("window:3+", "unknown part ''");
    expect_refusal("window:3+window:5", "'window' occurs twice");
    expect_refusal("itc:3", "'itc' takes no number");
    expect_refusal("full+every", "'every' beside 'full' has no effect");
    expect_refusal("every:3", "no part says which blocks are read");
    expect_refusal("itc/eval", "unknown tables 'eval' of itc: seeded, hf-eval, google or set");
    expect_refusal("itc/", "unknown tables ''");
    expect_refusal("itc/set:3", "'itc' takes no number");
    expect_refusal("longformer/set", "'longformer' takes no tables");
    expect_refusal("itc+itc/set", "'itc' occurs twice");
    expect_refusal("window+block", "'block' needs a number");
    expect_refusal("block:64", "no part says which blocks are read");
    expect_refusal("full+random", "'full' already reads all tokens");
    expect_refusal("itc+window:5", "'itc' fixes");
    expect_refusal("itc+seed:1", "'itc' fixes");
    expect_refusal("itc+global:2", "'itc' fixes window:3, global:2 and the seed; write the parts without it, or "
                                   "global:G@start beside it");
    expect_refusal("itc+global:2@end", "unknown place 'end' of global: start");
    expect_refusal("itc@start", "'itc' takes no place (@); only global does");
    expect_refusal("window:3@start", "'window:3' takes no place (@)");
    expect_refusal("global:@start", "global: ");
    expect_refusal("full+global@start", "'full' already reads all tokens");
    expect_refusal("window+seed:1", "'seed' without 'random'");
    expect_refusal("causal", "no part says which blocks are read");
    expect_refusal("causal:3+full", "'causal' takes no number");
    expect_refusal("full+band:3", "'full' already reads all tokens");
    expect_refusal("itc+band:3", "'itc' fixes");
    expect_refusal("window:4", "found 4, expected an odd number");
    expect_refusal("full+loops", "unknown part 'loops'");
    expect_refusal("window/exact", "'window' takes no tables");
    gw_pattern pattern;
    cr_assert_neq(gw_pattern_parse("window:x", &pattern), GW_OK);
    cr_assert(strstr(gw_message(), "pattern 'window:x': window: ") != NULL, "%s", gw_message());
    cr_assert_neq(gw_pattern_parse("window:0", &pattern), GW_OK);
    cr_assert_neq(gw_pattern_parse("random:99999999999999999999", &pattern), GW_OK);
}

Test(graph_pattern, lengths_that_get_full_attention) {
    const gw_pattern itc = parsed("itc"), two = parsed("itc+random:2+block:16"),
                     sum = parsed("window:3+global:2+random:3");
    cr_assert(gw_pattern_is_full(&itc, 704) && !gw_pattern_is_full(&itc, 705));
    cr_assert(gw_pattern_is_full(&two, 144) && !gw_pattern_is_full(&two, 145));
    cr_assert(gw_pattern_is_full(&sum, 7 * 64) && !gw_pattern_is_full(&sum, 7 * 64 + 1));
    const gw_pattern full = parsed("full"), eval = parsed("itc/hf-eval"), set = parsed("itc/set"),
                     google = parsed("itc/google"), long_blocks = parsed("itc/google+block:100");
    cr_assert(gw_pattern_is_full(&full, 1 << 20));
    cr_assert(gw_pattern_is_full(&eval, 704) && !gw_pattern_is_full(&eval, 705));
    cr_assert(gw_pattern_is_full(&set, 704) && !gw_pattern_is_full(&set, 705));
    cr_assert(gw_pattern_is_full(&google, 512) && !gw_pattern_is_full(&google, 513));
    cr_assert(gw_pattern_is_full(&long_blocks, 512) && !gw_pattern_is_full(&long_blocks, 513));
    cr_assert_eq(gw_pattern_blocks(&itc, 1), 1);
    cr_assert_eq(gw_pattern_blocks(&itc, 64), 1);
    cr_assert_eq(gw_pattern_blocks(&itc, 65), 2);
}

// Row `row` reads exactly the blocks of `wanted` (ends with -1).
static void expect_row(const gw_graph *graph, int row, const int32_t *wanted) {
    int count = 0;
    while (wanted[count] >= 0) count++;
    cr_assert_eq(graph->row_start[row + 1] - graph->row_start[row], count, "row %d", row);
    for (int k = 0; k < count; k++)
        cr_assert_eq(graph->column[graph->row_start[row] + k], wanted[k], "row %d, block %d", row, k);
}
#define ROW(...) ((const int32_t[]){__VA_ARGS__, -1})

// Rows of a graph list sorted distinct columns; the transpose lists the same edges, sorted by row within a column.
static void expect_sound(const gw_graph *graph) {
    cr_assert_eq(graph->row_start[0], 0);
    cr_assert_eq(graph->row_start[graph->query_blocks], graph->edges);
    cr_assert_eq(graph->column_start[0], 0);
    cr_assert_eq(graph->column_start[graph->key_blocks], graph->edges);
    for (int r = 0; r < graph->query_blocks; r++)
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            cr_assert(graph->column[e] >= 0 && graph->column[e] < graph->key_blocks);
            cr_assert(e == graph->row_start[r] || graph->column[e] > graph->column[e - 1]);
        }
    for (int c = 0; c < graph->key_blocks; c++)
        for (int64_t k = graph->column_start[c]; k < graph->column_start[c + 1]; k++) {
            const int64_t e = graph->edge[k];
            cr_assert_eq(graph->column[e], c);
            cr_assert(graph->row_start[graph->row[k]] <= e && e < graph->row_start[graph->row[k] + 1]);
            cr_assert(k == graph->column_start[c] || graph->row[k] > graph->row[k - 1]);
        }
}

Test(graph_pattern, itc_rows) {
    gw_graph *graph = made("itc", 4096, 0, 0);
    expect_sound(graph);
    cr_assert(graph->block == 64 && graph->query_blocks == 64 && graph->key_blocks == 64);
    cr_assert_eq(graph->row_start[1], 64);
    cr_assert_eq(graph->edges - graph->row_start[63], 64);
    expect_row(graph, 1, ROW(0, 1, 2, 7, 9, 14, 63));
    expect_row(graph, 2, ROW(0, 1, 2, 3, 6, 7, 9, 63));
    expect_row(graph, 3, ROW(0, 2, 3, 4, 5, 10, 14, 63));
    expect_row(graph, 4, ROW(0, 3, 4, 5, 6, 8, 12, 63));
    expect_row(graph, 62, ROW(0, 5, 6, 12, 61, 62, 63));
    cr_assert_null(graph->log_multiplicity, "no block is listed twice at this length");
    gw_graph_free(graph);
    graph = made("itc", 4096, 0, 11);
    expect_row(graph, 1, ROW(0, 1, 2, 5, 7, 13, 63));
    gw_graph_free(graph);
}

// At 1,024 tokens the last block is also a random candidate: it is then listed twice and counts ln 2.
Test(graph_pattern, repeats_count) {
    bool seen = false;
    for (int head = 0; head < 12; head++) {
        gw_graph *graph = made("itc", 1024, 1, head);
        expect_sound(graph);
        int64_t listed = 0;
        for (int64_t e = 0; e < graph->edges; e++) {
            const float m = graph->log_multiplicity ? expf(graph->log_multiplicity[e]) : 1;
            listed += lroundf(m);
            cr_assert(fabsf(m - roundf(m)) < 1e-6f && m >= 1 && m <= 2.001f);
        }
        cr_assert_eq(listed, 2 * 16 + 2 * 7 + 12 * 8, "both full rows, rows 1 and 14, twelve middle rows");
        seen = seen || graph->log_multiplicity;
        gw_graph_free(graph);
    }
    cr_assert(seen);
    // layer 1, head 0, row 3 draws (15, 9, 7)
    gw_graph *graph = made("itc", 1024, 1, 0);
    expect_row(graph, 3, ROW(0, 2, 3, 4, 7, 9, 15));
    cr_assert_float_eq(graph->log_multiplicity[graph->row_start[4] - 1], (float)log(2), 0);
    cr_assert_float_eq(graph->log_multiplicity[graph->row_start[3]], 0, 0);
    gw_graph_free(graph);
}

// Row `row` lists the blocks of `wanted`, a block m times in a row where it counts m.
static void expect_list(const gw_graph *graph, int row, const int32_t *wanted) {
    int64_t e = graph->row_start[row];
    for (int k = 0, next; wanted[k] >= 0; k = next, e++) {
        for (next = k + 1; wanted[next] == wanted[k];) next++;
        cr_assert_lt(e, graph->row_start[row + 1], "row %d ends before block %d", row, wanted[k]);
        cr_assert_eq(graph->column[e], wanted[k], "row %d, block %d", row, wanted[k]);
        const float log_m = graph->log_multiplicity ? graph->log_multiplicity[e] : 0;
        cr_assert_eq(log_m, logf((float)(next - k)), "row %d, block %d", row, wanted[k]);
    }
    cr_assert_eq(e, graph->row_start[row + 1], "row %d", row);
}

// The first blocks are global instead of the first and the last one. The tables stay, row for row, and have none for
// the last row. At 3,072 tokens of blocks of 192 row 3 can draw block 1 alone, which counts once more then.
Test(graph_pattern, itc_rows_with_global_blocks_at_the_start) {
    gw_graph *graph = made("itc+global:2@start", 4096, 0, 0);
    expect_sound(graph);
    cr_assert(graph->row_start[1] == 64 && graph->row_start[2] == 128);
    expect_row(graph, 2, ROW(0, 1, 2, 3, 6, 7, 9));
    expect_row(graph, 3, ROW(0, 1, 2, 3, 4, 5, 10, 14));
    expect_row(graph, 4, ROW(0, 1, 3, 4, 5, 6, 8, 12));
    expect_row(graph, 62, ROW(0, 1, 5, 6, 12, 61, 62, 63));
    expect_row(graph, 63, ROW(0, 1, 62, 63));
    gw_graph_free(graph);
    graph = made("itc+global:3@start", 4096, 0, 0);
    cr_assert_eq(graph->row_start[3], 192);
    expect_row(graph, 3, ROW(0, 1, 2, 3, 4, 5, 10, 14));
    gw_graph_free(graph);
    graph = made("itc/hf-eval+global:2@start", 705, 0, 0);
    expect_list(graph, 5, ROW(0, 0, 0, 0, 1, 4, 5, 6));
    expect_list(graph, 11, ROW(0, 1, 10, 11));
    gw_graph_free(graph);
    graph = made("itc+random:2+block:192+global:2@start", 3072, 1, 0);
    expect_list(graph, 3, ROW(0, 1, 1, 1, 2, 3, 4));
    gw_graph_free(graph);
    graph = made("itc/set+random:2+block:192+global:2@start", 3072, 1, 0);
    expect_list(graph, 3, ROW(0, 1, 2, 3, 4));
    gw_graph_free(graph);
}

// Block 0 stands in the place of every random block, for all layers and heads, at lengths of both plans.
Test(graph_pattern, evaluation_mode_of_transformers) {
    gw_graph *graph = made("itc/hf-eval", 705, 3, 2);
    expect_sound(graph);
    cr_assert_eq(graph->query_blocks, 12);
    expect_list(graph, 0, ROW(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    expect_list(graph, 1, ROW(0, 0, 0, 0, 1, 2, 11));
    expect_list(graph, 2, ROW(0, 0, 0, 0, 1, 2, 3, 11));
    expect_list(graph, 6, ROW(0, 0, 0, 0, 5, 6, 7, 11));
    expect_list(graph, 10, ROW(0, 0, 0, 0, 9, 10, 11));
    expect_list(graph, 11, ROW(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    gw_graph_free(graph);
    graph = made("itc/hf-eval+random:1+block:128", 1024, 0, 0);
    cr_assert_eq(graph->query_blocks, 8);
    expect_list(graph, 1, ROW(0, 0, 1, 2, 7));
    expect_list(graph, 3, ROW(0, 0, 2, 3, 4, 7));
    expect_list(graph, 6, ROW(0, 0, 5, 6, 7));
    gw_graph_free(graph);
    // no candidates are needed, where training mode has too few
    graph = made("itc/hf-eval+random:1+block:256", 3072, 0, 0);
    expect_list(graph, 5, ROW(0, 0, 4, 5, 6, 11));
    gw_graph_free(graph);
}

// Layer 1, head 0, row 3 draws (15, 9, 7) of 16 blocks; of 12 blocks of 192 tokens row 3 may draw block 1 alone.
Test(graph_pattern, tables_as_multisets_and_as_sets) {
    gw_graph *seeded = made("itc/seeded", 1024, 1, 0), *set = made("itc/set", 1024, 1, 0);
    expect_list(seeded, 3, ROW(0, 2, 3, 4, 7, 9, 15, 15));
    expect_list(set, 3, ROW(0, 2, 3, 4, 7, 9, 15));
    expect_sound(set);
    cr_assert_null(set->log_multiplicity);
    cr_assert_eq(set->edges, seeded->edges);
    cr_assert_arr_eq(set->column, seeded->column, (size_t)set->edges * sizeof *set->column);
    gw_graph_free(seeded);
    gw_graph_free(set);
    seeded = made("itc+random:2+block:192", 3072, 1, 0);
    set = made("itc/set+random:2+block:192", 3072, 1, 0);
    expect_list(seeded, 3, ROW(0, 1, 1, 2, 3, 4, 15));
    expect_list(set, 3, ROW(0, 1, 2, 3, 4, 15));
    gw_graph_free(seeded);
    gw_graph_free(set);
}

Test(graph_pattern, tables_of_google) {
    gw_graph *google = made("itc/google", 2048, 0, 0), *fixed = made("itc", 4096, 0, 0);
    expect_list(google, 1, ROW(0, 1, 2, 7, 9, 14, 31)); // row 1 of 4,096 tokens, with this input's last block
    expect_list(fixed, 1, ROW(0, 1, 2, 7, 9, 14, 63));
    gw_graph_free(google);
    gw_graph_free(fixed);
    google = made("itc/google+random:2+block:100", 600, 3, 0); // each row has one candidate
    expect_list(google, 1, ROW(0, 1, 2, 3, 3, 5));
    expect_list(google, 4, ROW(0, 2, 2, 3, 4, 5));
    gw_graph_free(google);
    const gw_pattern pattern = parsed("itc/google");
    const gw_graph_shape shape = gw_graph_square(513);
    cr_assert_eq(gw_pattern_graph(&pattern, &shape, 0, 0, 12, 4096, &google), GW_ERR_UNSUPPORTED);
    cr_assert_null(google);
}

static void expect_mode(const char *spec, const char *mode, const char *wanted) {
    gw_pattern pattern = parsed(spec);
    cr_assert_eq(gw_pattern_use_mode(&pattern, mode), GW_OK, "%s", gw_message());
    char *text = gw_pattern_provenance(&pattern);
    cr_assert_str_eq(text, wanted, "%s by %s", spec, mode);
    free(text);
}

static void expect_no_mode(const char *spec, const char *mode, const char *said) {
    gw_pattern pattern = parsed(spec);
    cr_assert_neq(gw_pattern_use_mode(&pattern, mode), GW_OK, "%s by %s", spec, mode);
    cr_assert(strstr(gw_message(), said) != NULL, "%s", gw_message());
    char *text = gw_pattern_text(&pattern);
    cr_assert_str_eq(text, spec);
    free(text);
}

Test(graph_pattern, modes_of_a_model) {
    expect_mode("itc", "seeded", "itc/seeded");
    expect_mode("itc+random:2+block:16", "hf-eval", "itc/hf-eval+random:2+block:16");
    expect_mode("itc/hf-eval", "google", "itc/google");
    expect_mode("itc/google", "set", "itc/set");
    expect_mode("itc+random:2+block:16", "full", "full+block:16");
    expect_mode("window:3+global:2+random:2+seed:5", "full", "full");
    expect_mode("full", "full", "full");
    expect_mode("itc+causal", "hf-eval", "itc/hf-eval+causal");
    expect_mode("itc+causal", "full", "full+causal");
    expect_mode("itc/google+block:16", "start", "itc/google+global:2@start+block:16");
    expect_mode("itc+global:3@start", "start", "itc/seeded+global:3@start");
    expect_mode("itc+global:2@start", "hf-eval", "itc/hf-eval+global:2@start");
    expect_mode("itc+global:2@start", "full", "full");
    expect_no_mode("window:3+global:2", "start",
                   "mode start is BigBird's; the model's own pattern is window:3+global:2");
    expect_no_mode("band:64+every:3", "full", "the model's own pattern is band:64+every:3");
    expect_no_mode("window:3+global:2", "seeded",
                   "mode seeded is BigBird's; the model's own pattern is window:3+global:2");
    expect_no_mode("full+block:32", "hf-eval", "own pattern is full+block:32");
    expect_no_mode("itc", "eval", "unknown attention mode 'eval'");
}

// The tables follow the padded length: 2,000 tokens are those of 2,048.
Test(graph_pattern, partly_filled_last_block) {
    gw_graph *part = made("itc", 2000, 7, 3), *whole = made("itc", 2048, 7, 3);
    cr_assert_eq(part->query_blocks, 32);
    cr_assert_eq(part->edges, whole->edges);
    cr_assert_arr_eq(part->column, whole->column, (size_t)whole->edges * sizeof *whole->column);
    gw_graph_free(part);
    gw_graph_free(whole);
}

Test(graph_pattern, short_inputs_are_full) {
    gw_graph *graph = made("itc", 704, 0, 0);
    expect_sound(graph);
    cr_assert_eq(graph->edges, 11 * 11);
    gw_graph_free(graph);
    graph = made("itc", 1, 0, 0);
    cr_assert_eq(graph->edges, 1);
    gw_graph_free(graph);
    graph = made("itc", 705, 0, 0);
    cr_assert_eq(graph->query_blocks, 12);
    cr_assert_lt(graph->edges, 12 * 12);
    gw_graph_free(graph);
}

Test(graph_pattern, parts_without_randomness) {
    gw_graph *graph = made("window:3", 5 * 64, 0, 0);
    expect_row(graph, 0, ROW(0, 1));
    expect_row(graph, 2, ROW(1, 2, 3));
    expect_row(graph, 4, ROW(3, 4));
    gw_graph_free(graph);
    graph = made("longformer+global:3", 8 * 64, 0, 0); // globals 0, 1 and 7
    expect_sound(graph);
    expect_row(graph, 1, ROW(0, 1, 2, 3, 4, 5, 6, 7));
    expect_row(graph, 2, ROW(0, 1, 2, 3, 7));
    expect_row(graph, 4, ROW(0, 1, 3, 4, 5, 7));
    expect_row(graph, 6, ROW(0, 1, 5, 6, 7));
    expect_row(graph, 7, ROW(0, 1, 2, 3, 4, 5, 6, 7));
    gw_graph_free(graph);
    graph = made("global:1", 4 * 64, 0, 0);
    expect_row(graph, 0, ROW(0, 1, 2, 3));
    expect_row(graph, 3, ROW(0));
    gw_graph_free(graph);
}

// Every row has all its distinct blocks; the same call gives the same graph; seed, layer and head change it.
Test(graph_pattern, random_parts) {
    gw_graph *graph = made("window:3+global:2+random:3+seed:7", 32 * 64, 2, 1);
    expect_sound(graph);
    cr_assert_null(graph->log_multiplicity);
    for (int r = 2; r < 30; r++) cr_assert_eq(graph->row_start[r + 1] - graph->row_start[r], 8, "row %d", r);
    cr_assert_eq(graph->row_start[2] - graph->row_start[1], 7);
    gw_graph *same = made("random:3+window+seed:7+global", 32 * 64, 2, 1);
    cr_assert_arr_eq(graph->column, same->column, (size_t)graph->edges * sizeof *graph->column);
    gw_graph *others[] = {made("window:3+global:2+random:3+seed:8", 32 * 64, 2, 1),
                          made("window:3+global:2+random:3+seed:7", 32 * 64, 1, 1),
                          made("window:3+global:2+random:3+seed:7", 32 * 64, 2, 0)};
    for (int i = 0; i < 3; i++) {
        cr_assert_arr_neq(graph->column, others[i]->column, (size_t)graph->edges * sizeof *graph->column);
        gw_graph_free(others[i]);
    }
    gw_graph_free(graph);
    gw_graph_free(same);
}

// With as many blocks as a row lists, a random row must end up with all of them.
Test(graph_pattern, random_rows_that_just_fit) {
    gw_graph *graph = made("random:5", 5 * 64, 0, 0);
    cr_assert_eq(graph->edges, 25);
    expect_sound(graph);
    gw_graph_free(graph);
    // each block is drawn about equally often: 40,000 draws over 100 blocks, 400 +- 20 each
    int drawn[100] = {0};
    for (int layer = 0; layer < 100; layer++) {
        graph = made("random:4+block:1", 100, layer, 0);
        for (int64_t e = 0; e < graph->edges; e++) drawn[graph->column[e]]++;
        gw_graph_free(graph);
    }
    for (int c = 0; c < 100; c++) cr_assert(drawn[c] > 300 && drawn[c] < 500, "block %d: %d times", c, drawn[c]);
}

Test(graph_pattern, parts_of_the_picture) {
    const gw_pattern itc = parsed("itc");
    cr_assert_eq(gw_pattern_part(&itc, 64, 10, 11), GW_PART_WINDOW);
    cr_assert_eq(gw_pattern_part(&itc, 64, 0, 1), GW_PART_WINDOW);
    cr_assert_eq(gw_pattern_part(&itc, 64, 0, 10), GW_PART_GLOBAL);
    cr_assert_eq(gw_pattern_part(&itc, 64, 10, 63), GW_PART_GLOBAL);
    cr_assert_eq(gw_pattern_part(&itc, 64, 10, 5), GW_PART_RANDOM);
    const gw_pattern start = parsed("itc+global:2@start");
    cr_assert_eq(gw_pattern_part(&start, 64, 1, 10), GW_PART_GLOBAL);
    cr_assert_eq(gw_pattern_part(&start, 64, 10, 1), GW_PART_GLOBAL);
    cr_assert_eq(gw_pattern_part(&start, 64, 10, 63), GW_PART_RANDOM);
}

Test(graph_pattern, impossible_requests) {
    const gw_pattern itc = parsed("itc");
    gw_graph *graph;
    const gw_graph_shape square = gw_graph_square(1024);
    cr_assert_eq(gw_pattern_graph(&itc, &(gw_graph_shape){0}, 0, 0, 12, 4096, &graph), GW_ERR_RANGE);
    cr_assert_eq(gw_pattern_graph(&itc, &square, 0, 12, 12, 4096, &graph), GW_ERR_RANGE);
    cr_assert_eq(gw_pattern_graph(&itc, &(gw_graph_shape){.queries = 5000, .keys = 5000}, 0, 0, 12, 4096, &graph),
                 GW_ERR_RANGE);
    cr_assert_null(graph);
    gw_graph_free(NULL);
}

static gw_status got(gw_graph_source *source, int64_t tokens, int layer, const gw_graph *const **graphs, int *step) {
    const gw_graph_request request = {.shape = gw_graph_square(tokens), .layer = layer};
    return gw_graph_get(source, &request, graphs, step);
}

enum { LAYOUT_BLOCKS = 4 };
// Two layers of two heads. Layer 1, head 1 reads the last block in row 1 alone.
static const uint8_t layout_cells[2][2][LAYOUT_BLOCKS][LAYOUT_BLOCKS] = {
    {{{1, 0, 0, 1}, {1, 1, 0, 0}, {0, 1, 1, 1}, {1, 1, 1, 1}},
     {{1, 1, 1, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 1}}},
    {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
     {{1, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}}}};
static const gw_layout layout = {2, 2, LAYOUT_BLOCKS, (uint8_t *)layout_cells};

Test(graph_pattern, layouts_of_checkpoints) {
    const gw_pattern pattern = parsed("longformer+block:8"), full = parsed("full+block:8");
    gw_graph_source *source;
    const gw_graph *const *graphs;
    int step;
    cr_assert_eq(gw_pattern_source_new(&pattern, &layout, 2, 2, 512, &source), GW_OK);
    cr_assert_eq(got(source, 32, 0, &graphs, &step), GW_OK, "%s", gw_message());
    cr_assert_eq(step, 1);
    expect_sound(graphs[0]);
    expect_list(graphs[0], 0, ROW(0, 3));
    expect_list(graphs[0], 2, ROW(1, 2, 3));
    expect_list(graphs[1], 1, ROW(1));
    cr_assert_eq(graphs[0]->block, 8);
    // the top left of the layout, though a pattern would make so short an input full
    cr_assert_eq(got(source, 17, 0, &graphs, &step), GW_OK);
    cr_assert_eq(graphs[0]->query_blocks, 3);
    expect_list(graphs[0], 0, ROW(0));
    expect_list(graphs[0], 2, ROW(1, 2));
    cr_assert_eq(got(source, 32, 1, &graphs, &step), GW_OK);
    cr_assert_eq(got(source, 24, 1, &graphs, &step), GW_ERR_FORMAT);
    cr_assert(strstr(gw_message(), "layer 1, head 1: row 1 reads none of the first 3 blocks") != NULL, "%s",
              gw_message());
    cr_assert_eq(got(source, 33, 0, &graphs, &step), GW_ERR_RANGE);
    cr_assert(strstr(gw_message(), "5 blocks of 8 tokens; the checkpoint's layout has 4") != NULL, "%s", gw_message());
    gw_graph_source_free(source);
    cr_assert_eq(gw_pattern_source_new(&full, &layout, 2, 2, 512, &source), GW_OK);
    cr_assert_eq(got(source, 100, 1, &graphs, &step), GW_OK, "full attention needs no layout");
    cr_assert(step == 0 && graphs[0]->edges == 13 * 13);
    gw_graph_source_free(source);
    cr_assert_eq(gw_pattern_source_new(&pattern, &layout, 2, 3, 512, &source), GW_ERR_MISMATCH);
    cr_assert_null(source);
}

// Layers 0, 3, 6 read all, the others a band; each kind is made once.
Test(graph_source, layers_that_read_all_stand_between_others) {
    const gw_pattern pattern = parsed("band:64+every:3");
    const gw_graph *const *all, *const *local, *const *again;
    gw_graph_source *source;
    int step;
    cr_assert_eq(gw_pattern_source_new(&pattern, NULL, 8, 2, 8192, &source), GW_OK);
    cr_assert_eq(got(source, 640, 0, &all, &step), GW_OK);
    cr_assert(step == 0 && all[0]->edges == 100 && !all[0]->kind);
    cr_assert_eq(got(source, 640, 1, &local, &step), GW_OK);
    cr_assert(step == 0 && local[0]->edges == 28 && local[0]->before == 64);
    cr_assert_eq(got(source, 640, 6, &again, &step), GW_OK);
    cr_assert_eq(again, all);
    cr_assert_eq(got(source, 640, 5, &again, &step), GW_OK);
    cr_assert_eq(again, local);
    gw_graph_source_free(source);
}

// What is full by tokens may share its number of blocks with what is not, and what never differs is made once.
Test(graph_source, keeps_by_kind) {
    const gw_pattern google = parsed("itc/google+random:1+block:100"), eval = parsed("itc/hf-eval");
    gw_graph_source *source;
    const gw_graph *const *short_input, *const *long_input, *const *other_layer;
    int step;
    cr_assert_eq(gw_pattern_source_new(&google, NULL, 2, 2, 1024, &source), GW_OK);
    cr_assert_eq(got(source, 510, 1, &short_input, &step), GW_OK);
    cr_assert(step == 0 && short_input[0]->edges == 36);
    cr_assert_eq(got(source, 520, 1, &long_input, &step), GW_OK, "%s", gw_message());
    cr_assert(step == 1 && long_input[0]->query_blocks == 6 && long_input[0]->edges < 36);
    cr_assert_eq(got(source, 520, 0, &other_layer, &step), GW_OK);
    cr_assert_neq(long_input, other_layer);
    gw_graph_source_free(source);
    cr_assert_eq(gw_pattern_source_new(&eval, NULL, 2, 2, 4096, &source), GW_OK);
    cr_assert_eq(got(source, 800, 1, &long_input, &step), GW_OK);
    cr_assert_eq(step, 0);
    cr_assert_eq(got(source, 770, 0, &other_layer, &step), GW_OK);
    cr_assert_eq(long_input, other_layer);
    cr_assert_eq(got(source, 4097, 0, &other_layer, &step), GW_ERR_RANGE);
    gw_graph_source_free(source);
}

Test(graph_source, forgets_what_is_too_much) {
    const gw_pattern itc = parsed("itc");
    gw_graph_source *source;
    const gw_graph *const *graphs;
    int step;
    cr_assert_eq(gw_pattern_source_new(&itc, NULL, 3, 2, 4096, &source), GW_OK);
    cr_assert_eq(source->bytes, 0);
    int64_t bytes = 0;
    for (int layer = 0; layer < 3; layer++) {
        cr_assert_eq(got(source, 2048, layer, &graphs, &step), GW_OK);
        bytes += gw_graph_bytes(graphs[0]) + gw_graph_bytes(graphs[1]);
        cr_assert_geq(gw_graph_bytes(graphs[0]), graphs[0]->edges * 16); // a column, a row and an edge each
    }
    cr_assert_eq(got(source, 100, 0, &graphs, &step), GW_OK); // one full graph for all
    bytes += gw_graph_bytes(graphs[0]);
    cr_assert_eq(source->bytes, bytes);
    source->budget = bytes;
    source->release(source);
    cr_assert_eq(source->bytes, bytes, "not one byte too much");
    source->budget = bytes - 1;
    source->release(source);
    cr_assert_eq(source->bytes, 0);
    cr_assert_eq(got(source, 2048, 2, &graphs, &step), GW_OK);
    cr_assert_eq(source->bytes, gw_graph_bytes(graphs[0]) + gw_graph_bytes(graphs[1]));
    cr_assert_eq(graphs[1]->query_blocks, 32);
    gw_graph_source_free(source);
}

Test(graph_source, shares_and_keeps) {
    const gw_pattern itc = parsed("itc"), window = parsed("window");
    gw_graph_source *source;
    const gw_graph *const *first, *const *again;
    int step;
    cr_assert_eq(gw_pattern_source_new(&itc, NULL, 3, 2, 4096, &source), GW_OK);
    cr_assert_eq(got(source, 2048, 1, &first, &step), GW_OK);
    cr_assert_eq(step, 1);
    cr_assert_eq(got(source, 4096, 2, &again, &step), GW_OK); // grows past the first entry
    cr_assert_eq(got(source, 2000, 1, &again, &step), GW_OK);
    cr_assert_eq(first, again, "32 blocks either way");
    for (int head = 0; head < 2; head++) {
        const gw_graph_shape square = gw_graph_square(2048);
        gw_graph *alone;
        cr_assert_eq(gw_pattern_graph(&itc, &square, 1, head, 2, 4096, &alone), GW_OK);
        cr_assert_eq(first[head]->edges, alone->edges);
        cr_assert_arr_eq(first[head]->column, alone->column, (size_t)alone->edges * sizeof *alone->column);
        gw_graph_free(alone);
    }
    cr_assert_eq(got(source, 100, 0, &first, &step), GW_OK);
    cr_assert_eq(step, 0);
    cr_assert_eq(got(source, 128, 2, &again, &step), GW_OK);
    cr_assert_eq(first, again, "one full graph for all layers");
    cr_assert_eq(got(source, 100, 3, &first, &step), GW_ERR_RANGE);
    cr_assert_eq(got(source, 0, 0, &first, &step), GW_ERR_RANGE);
    cr_assert_eq(got(source, 5000, 0, &first, &step), GW_ERR_RANGE);
    gw_graph_source_free(source);
    cr_assert_eq(gw_pattern_source_new(&window, NULL, 2, 2, 4096, &source), GW_OK);
    cr_assert_eq(got(source, 5000, 1, &first, &step), GW_OK);
    cr_assert(step == 0 && (*first)->query_blocks == 79);
    gw_graph_source_free(source);
    gw_graph_source_free(NULL);
}
