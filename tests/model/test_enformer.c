// SPDX-License-Identifier: MIT
// Enformer: a small network of made values, whose tracks are those that enformer-pytorch gives
// the same numbers, before softplus;
// alleles that are computed in part; what is refused.
#include "fixtures.h"
#include "made_dict.h"
#include "model/convert.h"
#include "model/family.h"
#include "network/base_network.h"
#include "network/network.h"
#include "network/partial.h"
#include "network/tracks.h"
#include "nn/distance_attention.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BASES = 128, POOLINGS = 3, HEADS = 2, KEY = 4, LAYERS = 2, HUMAN = 5, MOUSE = 3, TRACKS = HUMAN + MOUSE };
enum { DIM = 48, ROWS = BASES >> POOLINGS, TARGET = 8, LEVEL = GW_BATCH_ROWS - POOLINGS };
static const int64_t WIDTHS[] = {DIM / 2, DIM / 2, DIM};
static const char config[] =
    "{\"model_type\": \"enformer\", \"dim\": 48, \"depth\": 2, \"heads\": 2, "
    "\"output_heads\": {\"human\": 5, \"mouse\": 3}, "
    "\"target_length\": 8, \"attn_dim_key\": 4, \"num_downsamples\": 3, \"dim_divisible_by\": 4, "
    "\"input_length\": 128}";

static void put_block(made_dict *d, const char *scope, int64_t width, int64_t in, int64_t taps) {
    char name[64];
    snprintf(name, sizeof name, "%s.0", scope);
    made_dict_put_norm(d, name, in, true);
    snprintf(name, sizeof name, "%s.2", scope);
    made_dict_put_pair(d, name, width, in, taps);
}

static void put_pool(made_dict *d, const char *scope, int64_t width) {
    char name[64];
    snprintf(name, sizeof name, "%s.1.fn", scope);
    put_block(d, name, width, width, 1);
    snprintf(name, sizeof name, "%s.2.to_attn_logits", scope);
    made_dict_put_weight(d, name, width, width, 1);
}

static void put_layer(made_dict *d, int layer) {
    static const char *const names[] = {"to_q", "to_k", "to_v", "to_rel_k"};
    static const int64_t outs[] = {HEADS * KEY, HEADS * KEY, DIM, HEADS * KEY};
    char name[64];
    snprintf(name, sizeof name, "transformer.%d.0.fn.0", layer);
    made_dict_put_norm(d, name, DIM, false);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "transformer.%d.0.fn.1.%s", layer, names[i]);
        made_dict_put_weight(d, name, outs[i], i < 3 ? DIM : DIM / HEADS, 0);
    }
    snprintf(name, sizeof name, "transformer.%d.0.fn.1", layer);
    made_dict_put(d, name, "rel_content_bias", (int64_t[3]){HEADS * KEY}, 0.3, 0);
    made_dict_put(d, name, "rel_pos_bias", (int64_t[3]){HEADS * KEY}, 0.3, 0);
    snprintf(name, sizeof name, "transformer.%d.0.fn.1.to_out", layer);
    made_dict_put_pair(d, name, DIM, DIM, 0);
    snprintf(name, sizeof name, "transformer.%d.1.fn.0", layer);
    made_dict_put_norm(d, name, DIM, false);
    snprintf(name, sizeof name, "transformer.%d.1.fn.1", layer);
    made_dict_put_pair(d, name, 2 * DIM, DIM, 0);
    snprintf(name, sizeof name, "transformer.%d.1.fn.4", layer);
    made_dict_put_pair(d, name, DIM, 2 * DIM, 0);
}

static void make_folder(const char *text) {
    made_dict d = {.number = 0};
    cr_assert_eq(mkdir("folder", 0777), 0);
    scratch_text("folder/config.json", text);
    made_dict_put_pair(&d, "stem.0", WIDTHS[0], 4, 15);
    put_pool(&d, "stem", WIDTHS[0]);
    for (int i = 1; i < POOLINGS; i++) {
        char scope[32], first[48];
        snprintf(scope, sizeof scope, "conv_tower.%d", i - 1);
        snprintf(first, sizeof first, "%s.0", scope);
        put_block(&d, first, WIDTHS[i], WIDTHS[i - 1], 5);
        put_pool(&d, scope, WIDTHS[i]);
    }
    for (int layer = 0; layer < LAYERS; layer++) put_layer(&d, layer);
    put_block(&d, "final_pointwise.1", 2 * DIM, DIM, 1);
    made_dict_put_pair(&d, "_heads.human.0", HUMAN, 2 * DIM, 0);
    made_dict_put_pair(&d, "_heads.mouse.0", MOUSE, 2 * DIM, 0);
    made_dict_save(&d, "folder/model.safetensors");
}

static gw_model *read_model(void) {
    gw_model *made, *model;
    make_folder(config);
    cr_assert_eq(gw_model_from_enformer("folder", &made), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_save(made, "kept"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("kept", &model), GW_OK, "%s", gw_message());
    gw_model_free(made);
    return model;
}

static void fill_tokens(const gw_model *model, int32_t *token) {
    int32_t of[256];
    gw_base_map_letters(model, of);
    for (int i = 0; i < BASES; i++) token[i] = of[(unsigned char)"ACGT"[(i * i + i / 3) % 4]];
    token[50] = of['N'];
}

static void run_tracks(gw_model *model, int32_t *token, int64_t count, float *tracks) {
    int64_t start[] = {0, BASES};
    const gw_batch batch = {
        .of = {[GW_ROWS_TOKENS] = {.count = BASES, .sequences = 1, .start = start, .token = token}}};
    const gw_network_options options = {.tokens = BASES, .sequences = 1};
    gw_network *network;
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_output_width(network, LEVEL), count);
    memcpy(tracks, gw_network_output(network, LEVEL), (size_t)(ROWS * count) * sizeof *tracks);
    gw_network_free(network);
}

static void run_whole(gw_model *model, int32_t *token, float *tracks) {
    run_tracks(model, token, TRACKS, tracks);
}

TestSuite(enformer, .init = scratch_enter, .fini = scratch_leave);

Test(enformer, tracks_are_those_of_enformer_pytorch) {
    static const int rows[] = {0, 3, 7};
    static const float expected[3][TRACKS] = {
        {-0.18721434F, 0.31914899F, 0.54770225F, 0.22501914F, -0.32462323F, -0.075423986F, 0.19046268F, 0.25002438F},
        {-0.18648557F, 0.31957504F, 0.54745245F, 0.22431222F, -0.32516789F, -0.075560629F, 0.19038126F, 0.25004429F},
        {-0.18848263F, 0.31877095F, 0.54854602F, 0.22634514F, -0.32397664F, -0.075432166F, 0.19062406F, 0.25026354F},
    };
    int32_t token[BASES];
    float tracks[ROWS * TRACKS];
    gw_model *model = read_model();
    cr_expect_str_eq(model->config.label_names[HUMAN - 1], "human_4");
    cr_expect_str_eq(model->config.label_names[HUMAN], "mouse_0");
    fill_tokens(model, token);
    run_whole(model, token, tracks);
    for (int r = 0; r < 3; r++)
        for (int t = 0; t < TRACKS; t++)
            cr_expect_float_eq(tracks[((ROWS - TARGET) / 2 + rows[r]) * TRACKS + t], expected[r][t], 2e-6F,
                               "row %d, track %d: %.8g", rows[r], t,
                               (double)tracks[((ROWS - TARGET) / 2 + rows[r]) * TRACKS + t]);
    gw_model_free(model);
}

// Of both species, in the order of the list, as they are among all.
Test(enformer, chosen_tracks_are_as_among_all) {
    enum { CHOSEN = 3 };
    static const int number[CHOSEN] = {HUMAN + 2, 1, HUMAN};
    int32_t token[BASES];
    float whole[ROWS * TRACKS], chosen[ROWS * CHOSEN];
    gw_model *model = read_model();
    fill_tokens(model, token);
    run_whole(model, token, whole);
    cr_assert_eq(gw_model_choose_tracks(model, "mouse_2,1,mouse_0"), GW_OK, "%s", gw_message());
    cr_expect_eq(model->config.labels, CHOSEN);
    run_tracks(model, token, CHOSEN, chosen);
    for (int r = 0; r < ROWS; r++)
        for (int t = 0; t < CHOSEN; t++)
            cr_expect_float_eq(chosen[r * CHOSEN + t], whole[r * TRACKS + number[t]], 1e-6F, "row %d, track %d", r, t);
    gw_model_free(model);
}

// A few numbers of the table that TensorFlow made for 1,536 rows in single precision, whose rounding is up to 0.3 %.
Test(enformer, gammas_by_column_are_those_of_tensorflow) {
    enum { LENGTH = 1536, COUNT = 32, FEATURES = 2 * COUNT };
    static const struct {
        int distance, column;
        double value;
    } known[] = {{1, 0, 3.96617135e-04},  {10, 0, 1.87096223e-01},  {100, 0, 1.03480145e-01},  {0, 1, 5.85729993e-07},
                 {10, 1, 5.88728824e-07}, {100, 1, 9.17357624e-01}, {1000, 15, 6.01402348e-07}};
    static float table[(2 * LENGTH - 1) * FEATURES];
    const gw_distance_columns columns = {LENGTH, FEATURES, 0, COUNT, COUNT, table};
    gw_distance_gamma(&columns, LENGTH, true);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const float *forward = table + (known[i].distance + LENGTH - 1) * FEATURES;
        const float *backward = table + (LENGTH - 1 - known[i].distance) * FEATURES;
        cr_expect_float_eq((double)forward[known[i].column] / known[i].value, 1, 3e-3, "%d %d: %g", known[i].distance,
                           known[i].column, (double)forward[known[i].column]);
        cr_expect_eq(forward[known[i].column], backward[known[i].column]);
        if (known[i].distance > 0) cr_expect_eq(backward[COUNT + known[i].column], -forward[known[i].column]);
    }
    for (int c = 0; c < COUNT; c++) {
        float largest = 0;
        for (int d = 0; d < 2 * LENGTH - 1; d++) largest = fmaxf(largest, table[d * FEATURES + c]);
        cr_expect_eq(largest, 1, "column %d: %g", c, (double)largest);
    }
}

// What config.json says, or the name of the folder that has TensorFlow's weights.
Test(enformer, the_kind_of_gammas_is_read) {
    static const char word[] = "\"input_length\": 128", *const says[] = {"true", "false"};
    gw_model *model;
    char text[512];
    make_folder(config);
    cr_assert_eq(gw_model_from_enformer("folder", &model), GW_OK, "%s", gw_message());
    const gw_family_number *numbers = gw_family_of(GW_FAMILY_ENFORMER)->numbers;
    int at = 0;
    while (strcmp(numbers[at].key, "use_tf_gamma") != 0) at++;
    cr_expect_eq(model->config.number[at], 0);
    gw_model_free(model);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%.*s\"use_tf_gamma\": %s, %s", (int)(strstr(config, word) - config), config,
                 says[i], strstr(config, word));
        scratch_text("folder/config.json", text);
        cr_assert_eq(gw_model_from_enformer("folder", &model), GW_OK, "%s", gw_message());
        cr_expect_eq(model->config.number[at], i == 0);
        gw_model_free(model);
    }
    scratch_text("folder/config.json", config);
    cr_assert_eq(rename("folder", "enformer-official-rough"), 0);
    cr_assert_eq(gw_model_from_enformer("enformer-official-rough", &model), GW_OK, "%s", gw_message());
    cr_expect_eq(model->config.number[at], 1);
    gw_model_free(model);
}

typedef struct {
    float tracks[2][TARGET * TRACKS];
    int answers;
} answers;

static gw_status take(void *context, int64_t id, const float *outputs) {
    answers *a = context;
    a->answers++;
    memcpy(a->tracks[id], outputs, sizeof a->tracks[0]);
    return GW_OK;
}

Test(enformer, an_allele_has_the_tracks_of_a_whole_run) {
    enum { BEGIN = (ROWS - TARGET) / 2 };
    int32_t token[2][BASES];
    float whole[ROWS * TRACKS];
    answers a = {.answers = 0};
    bool taken;
    gw_partial *partial;
    gw_model *model = read_model();
    for (int i = 0; i < 2; i++) fill_tokens(model, token[i]);
    token[1][70] = token[0][71] == token[0][70] ? token[0][69] : token[0][71];
    cr_assert_eq(gw_partial_new(model, LEVEL, INT64_C(1000000000), &partial), GW_OK, "%s", gw_message());
    cr_assert_not_null(partial);
    gw_variation of = {.token = token[0], .count = BASES, .span = BASES, .begin = BEGIN, .end = BEGIN + TARGET};
    cr_assert_eq(gw_partial_begin(partial, &of, 0), GW_OK, "%s", gw_message());
    of.token = token[1];
    cr_assert_eq(gw_partial_ask(partial, &of, 1, &taken), GW_OK, "%s", gw_message());
    cr_expect(taken);
    cr_assert_eq(gw_partial_run(partial, take, &a), GW_OK, "%s", gw_message());
    cr_expect_eq(a.answers, 2);
    for (int i = 0; i < 2; i++) {
        run_whole(model, token[i], whole);
        for (int k = 0; k < TARGET * TRACKS; k++) cr_expect_float_eq(a.tracks[i][k], whole[BEGIN * TRACKS + k], 1e-6F);
    }
    cr_expect(memcmp(a.tracks[0], a.tracks[1], sizeof a.tracks[0]) != 0);
    gw_partial_free(partial);
    gw_model_free(model);
}

Test(enformer, what_does_not_fit_is_refused) {
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"\"input_length\": 128", "\"input_length\": 132", "a multiple of the 8 bases of a row"},
        {"\"target_length\": 8", "\"target_length\": 17", "at least the 17 rows of \"target_length\""},
        {"\"heads\": 2", "\"heads\": 3", "\"dim\" is 48 with 3 heads"},
        {"\"mouse\": 3", "\"mouse\": 4", "_heads.mouse.0.weight has the shape [3, 96]"},
        {"\"depth\": 2", "\"depth\": 3", "no tensor transformer.2.0.fn.0.weight"},
        {"\"depth\": 2", "\"depth\": 1", "is none of a model of enformer-pytorch"},
    };
    make_folder(config);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        const char *at = strstr(config, cases[i].from);
        gw_model *model;
        cr_assert_not_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - config), config, cases[i].to, at + strlen(cases[i].from));
        scratch_text("folder/config.json", text);
        cr_expect_neq(gw_model_from_enformer("folder", &model), GW_OK);
        cr_expect(strstr(gw_message(), cases[i].says), "case %d: %s", (int)i, gw_message());
    }
}
