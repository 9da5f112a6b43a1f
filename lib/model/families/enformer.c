// SPDX-License-Identifier: MIT
// Enformer (Avsec et al., 2021). Convolutions and attention pooling repeatedly halve the rows of a window. Attention
// among the remaining rows has terms of the distance. Every row in the middle has a number for each track.
//
//   block_k(x) = conv_k(g(a x + b)), g(x) = x s(1.702 x), a and b from a batch norm;  pool(x) sums each two rows by the
//   softmax of W x, channel by channel
//   x = conv15(bases);  x = pool(x + block_1(x));  for each further pooling  x = block_5(x);  x = pool(x + block_1(x))
//   x = x + W_o attention(LN(x));  x = x + W_2 relu(W_1 LN(x)), once for each layer
//   tracks = softplus(W_t g(block_1(x))); readers of the tracks compute softplus
//
// Distances have three kinds of features: exponentials, a mask of near rows, and densities of gamma distributions; and
// each of them times the sign of the distance.
#include "base/json.h"
#include "base/log.h"
#include "base/string.h"
#include "model/config_reader.h"
#include "model/convert.h"
#include "model/families/tracks.h"
#include "model/family.h"
#include "model/state_dict.h"
#include "nn/convolution.h"
#include "nn/distance_attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TAPS = 15, TOWER_TAPS = 5, FEATURE_KINDS = 3, LONGEST = 1 << 20, MOST_TRACKS = 1 << 16 };
enum { DIM, DEPTH, HEADS, KEY, TARGET, POOLINGS, DIVISOR, WINDOW, HUMAN, MOUSE, TF_GAMMA };

static const gw_family_number numbers[] = {
    [DIM] = {"dim", 1536, 8, 1 << 14},
    [DEPTH] = {"depth", 11, 0, 256},
    [HEADS] = {"heads", 8, 1, 256},
    [KEY] = {"attn_dim_key", 64, 1, 1024},
    [TARGET] = {"target_length", 896, -1, LONGEST}, // rows in the middle that are predicted; -1: all
    [POOLINGS] = {"num_downsamples", 7, 3, GW_STEM_LEVELS - 1},
    [DIVISOR] = {"dim_divisible_by", 128, 1, 1 << 14},
    [WINDOW] = {"input_length", 196608, 1, LONGEST},
    [HUMAN] = {"human", 5313, 0, MOST_TRACKS},
    [MOUSE] = {"mouse", 1643, 0, MOST_TRACKS},
    [TF_GAMMA] = {"use_tf_gamma", 0, 0, 1},
    {0},
};

static int64_t rows_of(const gw_config *config) {
    return config->number[WINDOW] >> config->number[POOLINGS];
}

// As many rows are cut off at either end.
static int64_t predicted_rows(const gw_config *config) {
    const int64_t rows = rows_of(config), target = config->number[TARGET];
    return target < 0 ? rows : rows - (rows - target + 1) / 2 * 2;
}

static gw_tracks tracks(const gw_config *config) {
    return (gw_tracks){.window = config->number[WINDOW],
                       .level = (int)config->number[POOLINGS],
                       .bin = (int64_t)1 << config->number[POOLINGS],
                       .rows = predicted_rows(config),
                       .columns = config->number[HUMAN] + config->number[MOUSE],
                       .softplus = true};
}

static void keep_tracks(gw_config *config, int64_t count) {
    config->number[HUMAN] = count;
    config->number[MOUSE] = 0;
}

static int levels(const gw_config *config, int factor[GW_STEM_LEVELS]) {
    for (int level = 0; level < GW_STEM_LEVELS; level++) factor[level] = 1 << level;
    return (int)config->number[POOLINGS];
}

static void set_defaults(gw_config *config) {
    gw_track_defaults(config);
    config->positions = LONGEST;
    config->epsilon = 1e-5;
}

// The features of a distance are of three kinds, each with a sign and without.
static gw_status check(const char *path, const gw_config *config) {
    const int64_t *n = config->number, size = n[DIM] / n[HEADS], bin = (int64_t)1 << n[POOLINGS];
    if (n[DIM] % n[HEADS] != 0 || size % (2 * FEATURE_KINDS) != 0)
        return gw_fail(GW_ERR_RANGE,
                       "%s: \"dim\" is %lld with %lld heads, expected a multiple of %d for each head: distances have "
                       "so many kinds of features",
                       path, (long long)n[DIM], (long long)n[HEADS], 2 * FEATURE_KINDS);
    if (n[WINDOW] % bin != 0 || predicted_rows(config) < 1 || n[TARGET] > rows_of(config))
        return gw_fail(
            GW_ERR_RANGE,
            "%s: \"input_length\" is %lld, expected a multiple of the %lld bases of a row, with at least the "
            "%lld rows of \"target_length\"",
            path, (long long)n[WINDOW], (long long)bin, (long long)n[TARGET]);
    if (n[HUMAN] + n[MOUSE] == 0) return gw_fail(GW_ERR_RANGE, "%s: there are no tracks of human or mouse", path);
    return GW_OK;
}

static gw_status read_config(const gw_config_reader *r) {
    GW_TRY(check(r->path, r->config));
    r->config->positions = r->config->number[WINDOW];
    return GW_OK;
}

// Widths of the poolings' rows: half of dim, then from there to dim in equal ratios, rounded to multiples.
static int64_t width_of(const gw_config *config, int pooling) {
    const int64_t *n = config->number, half = n[DIM] / 2;
    if (pooling == 0) return half;
    const double ratio = exp(log((double)n[DIM] / (double)half) / (double)(n[POOLINGS] - 2));
    return n[DIVISOR] * (int64_t)rint((double)half * pow(ratio, pooling - 1) / (double)n[DIVISOR]);
}

static char *named(char name[GW_PARAMETER_NAME], const char *scope, const char *rest) {
    snprintf(name, GW_PARAMETER_NAME, "%s%s", scope, rest);
    return name;
}

// block_k; `scope` ends with a full stop.
static gw_tensor block(gw_builder *b, gw_tensor x, const char *scope, int64_t width, int taps) {
    char name[GW_PARAMETER_NAME];
    x = gw_plan_affine(b->plan, x, gw_declare_norm(b, GW_ROLE_OWN, named(name, scope, "0"), x.width), 1);
    x = gw_plan_activation(b->plan, x, GW_ACTIVATION_GELU_QUICK);
    named(name, scope, "2");
    return taps == 1 ? gw_build_linear(b, x, GW_ROLE_OWN, name, width, true)
                     : gw_build_convolution(b, x, name, width, taps, 1, true);
}

// pool(x + block_1(x)), to rows of the next resolution.
static gw_tensor pool(gw_builder *b, gw_tensor x, const char *scope, int level) {
    char name[GW_PARAMETER_NAME];
    x = gw_plan_sum(b->plan, block(b, x, named(name, scope, "1.fn."), x.width, 1), x);
    const gw_tensor logit = gw_build_linear(b, x, GW_ROLE_OWN, named(name, scope, "2.to_attn_logits"), x.width, false);
    return gw_plan_softmax_pool(b->plan, x, logit, b->rows.level[level], 2);
}

// The features of every distance between rows, on the device; NULL without memory.
static const float *features_of(gw_builder *b, int64_t rows, int64_t features) {
    const int64_t count = (2 * rows - 1) * features, each = features / (2 * FEATURE_KINDS);
    float *table = gw_plan_alloc(b->plan, count, sizeof *table);
    gw_distance_columns columns = {rows, features, 0, each, features / 2, table};
    if (!table) return NULL;
    gw_distance_exponential(&columns, rows);
    columns.first += each, columns.signed_at += each;
    gw_distance_central_mask(&columns, 0);
    columns.first += each, columns.signed_at += each;
    gw_distance_gamma(&columns, rows, b->config->number[TF_GAMMA] != 0);
    return gw_plan_constant(b->plan, table, count);
}

static gw_tensor attend(gw_builder *b, gw_tensor x, gw_distance_attention of) {
    const int64_t *n = b->config->number, keys = n[HEADS] * n[KEY];
    const gw_tensor query = gw_build_linear(b, x, GW_ROLE_OWN, "0.fn.1.to_q", keys, false),
                    key = gw_build_linear(b, x, GW_ROLE_OWN, "0.fn.1.to_k", keys, false),
                    value = gw_build_linear(b, x, GW_ROLE_OWN, "0.fn.1.to_v", n[DIM], false);
    of.weight = gw_declare_weight(b, GW_ROLE_OWN, "0.fn.1.to_rel_k", keys, of.features);
    of.content_bias = gw_declare_buffer(b, GW_ROLE_OWN, "0.fn.1.rel_content_bias", true, keys, 0);
    of.position_bias = gw_declare_buffer(b, GW_ROLE_OWN, "0.fn.1.rel_pos_bias", true, keys, 0);
    x = gw_plan_distance_attention(b->plan, query, key, value, of);
    return gw_build_linear(b, x, GW_ROLE_OWN, "0.fn.1.to_out", n[DIM], true);
}

static gw_tensor layer(gw_builder *b, gw_tensor x, gw_distance_attention of) {
    const int64_t width = b->config->number[DIM];
    gw_tensor y = attend(b, gw_build_norm(b, x, GW_ROLE_OWN, "0.fn.0"), of);
    x = gw_plan_sum(b->plan, y, x);
    y = gw_build_linear(b, gw_build_norm(b, x, GW_ROLE_OWN, "1.fn.0"), GW_ROLE_OWN, "1.fn.1", 2 * width, true);
    y = gw_plan_activation(b->plan, y, GW_ACTIVATION_RELU);
    return gw_plan_sum(b->plan, gw_build_linear(b, y, GW_ROLE_OWN, "1.fn.4", width, true), x);
}

static void describe(gw_builder *b) {
    const gw_config *config = b->config;
    const int64_t *n = config->number, features = n[DIM] / n[HEADS];
    char scope[32];
    if (!gw_begin_tracks(b)) return;
    gw_plan_segment_begin(b->plan);
    gw_tensor x = gw_build_convolution(b, gw_build_letters(b), "stem.0", width_of(config, 0), FIRST_TAPS, 1, true);
    x = pool(b, x, "stem.", 1);
    gw_plan_segment_end(b->plan);
    for (int i = 1; i < n[POOLINGS]; i++) {
        char inner[GW_PARAMETER_NAME];
        gw_plan_segment_begin(b->plan);
        snprintf(scope, sizeof scope, "conv_tower.%d.", i - 1);
        x = block(b, x, named(inner, scope, "0."), width_of(config, i), TOWER_TAPS);
        x = pool(b, x, scope, i + 1);
        gw_plan_segment_end(b->plan);
    }
    const gw_distance_attention attention = {.heads = (int)n[HEADS],
                                             .groups = (int)n[HEADS],
                                             .most = rows_of(config),
                                             .scale = 1 / sqrt((double)n[KEY]),
                                             .precision = b->precision,
                                             .table = b->lists ? NULL : features_of(b, rows_of(config), features),
                                             .features = features};
    for (int i = 0; i < n[DEPTH]; i++) {
        gw_plan_segment_begin(b->plan);
        gw_builder_scope(b, "transformer", i);
        x = layer(b, x, attention);
        gw_plan_segment_end(b->plan);
    }
    gw_builder_scope(b, NULL, 0);
    x = gw_plan_activation(b->plan, block(b, x, "final_pointwise.1.", 2 * n[DIM], 1), GW_ACTIVATION_GELU_QUICK);
    static const char *const heads[] = {"_heads.human.0", "_heads.mouse.0"};
    b->end(b, gw_build_track_heads(b, x, heads, n + HUMAN), (gw_tensor){0});
}

const gw_family_row gw_family_enformer = {
    .model_type = "godwit",
    .prefix = "Enformer",
    .fields = gw_track_fields,
    .set_defaults = set_defaults,
    .read = read_config,
    .numbers = numbers,
    .levels = levels,
    .tracks = tracks,
    .keep_tracks = keep_tracks,
    .describe = describe,
};

// ---- folders of enformer-pytorch: config.json and a state dict, which has all but the heads twice, once behind _trunk

static void place_trunk(const gw_config *config, const char *name, gw_stored_place *out) {
    static const char *const parts[] = {"stem",        "_trunk.1", "conv_tower",      "_trunk.2",
                                        "transformer", "_trunk.4", "final_pointwise", "_trunk.6"};
    (void)config;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i += 2)
        if (gw_has_prefix(name, parts[i]))
            snprintf(out->name, sizeof out->name, "%s%s", parts[i + 1], name + strlen(parts[i]));
}

static const gw_state_dict_layout plain = {.are = "a model of enformer-pytorch", .twins = "_trunk.", .epsilon = 1e-5};
static const gw_state_dict_layout trunk = {.are = "a model of enformer-pytorch", .place = place_trunk, .epsilon = 1e-5};

// Weights that came from TensorFlow need its gammas. The folder that has them says so by its name alone, as it does to
// enformer-pytorch, where config.json is older than the word.
static gw_status read_gamma(const json_t *json, const char *path, gw_config *config) {
    bool as_tensorflow = strstr(path, "enformer-official-rough") != NULL;
    if (!json_object_get(json, numbers[TF_GAMMA].key))
        gw_note("%s lacks \"use_tf_gamma\": %s is assumed; weights converted from TensorFlow need true", path,
                as_tensorflow ? "true" : "false");
    const gw_status status = gw_json_bool(json, path, numbers[TF_GAMMA].key, false, &as_tensorflow);
    config->number[TF_GAMMA] = as_tensorflow;
    return status;
}

static gw_status read_foreign_config(const char *path, gw_config *config) {
    json_t *json;
    const json_t *tracks_of;
    GW_TRY(gw_json_load(path, &json));
    gw_status status = read_gamma(json, path, config);
    for (int i = 0; status == GW_OK && i < HUMAN; i++)
        status = gw_json_int(json, path, numbers[i].key, false, numbers[i].least, numbers[i].most, &config->number[i]);
    if (status == GW_OK && (tracks_of = json_object_get(json, "output_heads"))) {
        config->number[HUMAN] = config->number[MOUSE] = 0;
        for (int i = HUMAN; status == GW_OK && i <= MOUSE; i++)
            status = gw_json_int(tracks_of, path, numbers[i].key, false, 0, numbers[i].most, &config->number[i]);
    }
    json_decref(json);
    return status == GW_OK ? check(path, config) : status;
}

static gw_status settle(const gw_checkpoint *stored, gw_config *config) {
    (void)stored;
    return gw_name_species(config, config->number[HUMAN], config->number[MOUSE]);
}

static const gw_state_dict_layout *layout(const gw_checkpoint *stored) {
    return gw_checkpoint_find(stored, "stem.0.weight") ? &plain : &trunk;
}

gw_status gw_model_from_enformer(const char *path, gw_model **out) {
    static const gw_track_folder_kind kind = {GW_FAMILY_ENFORMER, read_foreign_config, settle, layout};
    return gw_model_from_track_folder(&kind, path, out);
}
