// SPDX-License-Identifier: MIT
// The embedder against hidden states taken from the network by hand: tiles, pools, and values that are not numbers.
#include "base/output.h"
#include "file/npy.h"
#include "fixtures.h"
#include "network/embedder.h"
#include "tests/unit/scratch.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASES = 300, WIDTH = 16, POSITIONS = 128, OVERLAP = 30, STEP = POSITIONS - 2 - OVERLAP, TILES = 3, HEAD = 128 };
static char bases[BASES];

static void draw_bases(void) {
    unsigned x = 7;
    for (int i = 0; i < BASES; i++) {
        x = x * 1664525u + 1013904223u;
        bases[i] = "ACGT"[x >> 30];
    }
}

static gw_status add_row(void *array, const float *row) {
    return gw_npy_add(array, row);
}

static gw_status write_embedding(gw_model *model, const gw_embed_options *options) {
    const gw_embed_source source = {.name = "s", .contig = "s", .strand = '+'};
    gw_npy out;
    gw_table_writer *rows;
    gw_columns columns = {0};
    gw_embedder *embedder;
    cr_assert_eq(gw_npy_open(&out, "e.npy", WIDTH, 0), GW_OK);
    gw_embed_columns(options->pool, 0, &columns);
    cr_assert_eq(gw_table_writer_open("e.tsv", &columns, ".", &rows), GW_OK);
    const gw_embed_output output = {add_row, &out, rows, false};
    gw_status status = gw_embedder_new(model, options, &output, &embedder);
    if (status == GW_OK) status = gw_embedder_add(embedder, &source, bases, BASES);
    if (status == GW_OK) status = gw_embedder_finish(embedder);
    gw_embedder_free(embedder);
    if (status == GW_OK) {
        cr_assert_eq(gw_table_writer_close(rows), GW_OK);
        cr_assert_eq(gw_npy_close(&out), GW_OK);
    } else {
        gw_table_writer_abandon(rows);
        gw_npy_abandon(&out);
    }
    return status;
}

// Hidden states [tokens][WIDTH] of tile `tile` by the network itself.
static gw_network *run_tile(gw_model *model, int tile, int64_t *tokens) {
    const int64_t first = tile * STEP, left = BASES - first;
    const int64_t own = left < POSITIONS - 2 ? left : POSITIONS - 2;
    const gw_network_options options = {.tokens = POSITIONS, .sequences = 1};
    int32_t token[POSITIONS] = {GW_TOKEN_CLS};
    for (int64_t i = 0; i < own; i++) token[i + 1] = 5 + (int32_t)(strchr("ACGT", bases[first + i]) - "ACGT");
    token[own + 1] = GW_TOKEN_SEP;
    *tokens = own + 2;
    int64_t start[2] = {0, *tokens};
    const gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = start, .token = token}}};
    gw_network *network;
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
    return network;
}

static float pooled(gw_embed_pool pool, const float *hidden, int64_t tokens, int column) {
    double sum = 0, most = -INFINITY;
    for (int64_t t = 1; t < tokens - 1; t++) {
        sum += (double)hidden[t * WIDTH + column];
        most = fmax(most, (double)hidden[t * WIDTH + column]);
    }
    if (pool == GW_EMBED_MEAN) return (float)(sum / (double)(tokens - 2));
    return pool == GW_EMBED_MAX ? (float)most : hidden[column];
}

static float *read_values(int64_t expected_rows) {
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file("e.npy", &bytes, &count), GW_OK);
    cr_assert_eq(count, HEAD + expected_rows * WIDTH * 4);
    float *values = malloc((size_t)(count - HEAD));
    memcpy(values, bytes + HEAD, (size_t)(count - HEAD));
    free(bytes);
    return values;
}

TestSuite(embedder, .init = scratch_enter, .fini = scratch_leave);

Test(embedder, pools_the_tiles_of_a_long_sequence) {
    gw_model *model = fixture_model(0, 0.1); // dropout must not be in effect
    draw_bases();
    for (gw_embed_pool pool = GW_EMBED_CLS; pool <= GW_EMBED_MAX; pool++) {
        const gw_embed_options options = {.pool = pool, .layer = -1, .overlap = OVERLAP};
        cr_assert_eq(write_embedding(model, &options), GW_OK, "%s", gw_message());
        float *values = read_values(TILES);
        for (int tile = 0; tile < TILES; tile++) {
            int64_t tokens;
            gw_network *network = run_tile(model, tile, &tokens);
            for (int c = 0; c < WIDTH; c++)
                cr_assert_float_eq(values[tile * WIDTH + c], pooled(pool, gw_network_hidden(network), tokens, c), 1e-6);
            gw_network_free(network);
        }
        free(values);
    }
    gw_model_free(model);
}

Test(embedder, writes_every_token) {
    gw_model *model = fixture_model(3, 0);
    draw_bases();
    const gw_embed_options options = {.pool = GW_EMBED_NONE, .layer = -1, .overlap = OVERLAP};
    cr_assert_eq(write_embedding(model, &options), GW_OK, "%s", gw_message());
    float *values = read_values(BASES + (TILES - 1) * OVERLAP + 2 * TILES);
    const float *at = values;
    for (int tile = 0; tile < TILES; tile++) {
        int64_t tokens;
        gw_network *network = run_tile(model, tile, &tokens);
        for (int64_t i = 0; i < tokens * WIDTH; i++) cr_assert_float_eq(at[i], gw_network_hidden(network)[i], 1e-6);
        at += tokens * WIDTH;
        gw_network_free(network);
    }
    free(values);
    gw_model_free(model);
}

Test(embedder, refuses_what_is_not_a_number) {
    gw_model *model = fixture_model(0, 0);
    draw_bases();
    const gw_parameter *bias = gw_model_parameter(model, "bert.encoder.layer.1.output.LayerNorm.bias");
    cr_assert_not_null(bias);
    model->parameters.weight[bias->offset + 3] = NAN;
    for (gw_embed_pool pool = GW_EMBED_CLS; pool <= GW_EMBED_NONE; pool++) {
        const gw_embed_options options = {.pool = pool, .layer = -1, .overlap = OVERLAP};
        cr_assert_eq(write_embedding(model, &options), GW_ERR_RANGE);
        cr_assert_str_eq(gw_message(), "an output of the model is not a finite number");
    }
    cr_assert_not(gw_file_exists("e.npy"));
    gw_model_free(model);
}
