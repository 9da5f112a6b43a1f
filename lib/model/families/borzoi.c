// SPDX-License-Identifier: MIT
// Borzoi (Linder et al., 2025) and Flashzoi (Hingerl et al., 2025): tracks of expression and chromatin, one row every
// 32 bases, from windows of 524,288 bases.
//
//   conv15, halve;  block5, halve, five times;  block5            rows of 64 bases; block(x) = conv(gelu(norm(x)))
//   halve;  layers: x + attention(LN(x)), x + W relu(V LN(x))     rows of 128 bases
//   twice: x = conv1 pointwise conv3 depthwise (repeat(block1(x)) + block1(skip))
//   tracks = softplus(W gelu(block1(x)))                          rows of 32 bases
//
// Norms of convolutions are batch norms with fixed statistics: a scale and a shift. Borzoi's attention has terms of the
// distance. Flashzoi rotates queries and keys, and two of its heads share each key and value.
#include "base/memory.h"
#include "base/number.h"
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

enum { LEVELS = 7, SKIPS = 2, BIN_LEVEL = 5, BIN = 1 << BIN_LEVEL, ROW = 1 << LEVELS };
enum { TOWER = 5, TAPS = 5, FIRST_TAPS = 15, LAST_TAPS = 3 };
enum { FEATURES = 32, TRAINED_ROWS = 4096 }; // of distances; rows that their widths follow
enum { ROTATED = 128 };                      // values of a head that are turned, at most
enum { LONGEST = 1 << 22, WIDEST = 1 << 14 };
enum {
    DIM,
    DEPTH,
    HEADS,
    KEY_SIZE,
    VALUE_SIZE,
    BINS,
    FLASHED,
    WINDOW,
    FIRST_WIDTH,
    TOWER_WIDTH,
    JOINED = TOWER_WIDTH + TOWER,
    MOUSE
};

static const gw_family_number numbers[] = {
    [DIM] = {"dim", 1536, 1, WIDEST},
    [DEPTH] = {"depth", 8, 1, 64},
    [HEADS] = {"heads", 8, 1, 64},
    [KEY_SIZE] = {"attn_dim_key", 64, 1, 1024},
    [VALUE_SIZE] = {"attn_dim_value", 192, 1, 1024},
    [BINS] = {"bins_to_return", 6144, 1, LONGEST / BIN},
    [FLASHED] = {"flashed", 0, 0, 1},
    [WINDOW] = {"input_length", 524288, ROW, LONGEST},
    [FIRST_WIDTH] = {"conv_dna_width", 512, 1, WIDEST},
    [TOWER_WIDTH] = {"tower_width_1", 608, 1, WIDEST},
    {"tower_width_2", 736, 1, WIDEST},
    {"tower_width_3", 896, 1, WIDEST},
    {"tower_width_4", 1056, 1, WIDEST},
    {"tower_width_5", 1280, 1, WIDEST},
    [JOINED] = {"joined_width", 1920, 1, WIDEST},
    [MOUSE] = {"mouse", 0, 0, 1 << 16}, // tracks of the last labels: those of the second head
    {0},
};

static gw_tracks tracks(const gw_config *config) {
    return (gw_tracks){.window = config->number[WINDOW],
                       .level = BIN_LEVEL,
                       .bin = BIN,
                       .rows = config->number[BINS],
                       .columns = config->labels,
                       .softplus = true};
}

static void keep_tracks(gw_config *config, int64_t count) {
    (void)count;
    config->number[MOUSE] = 0;
}

static int levels(const gw_config *config, int factor[GW_STEM_LEVELS]) {
    (void)config;
    for (int level = 0; level <= LEVELS; level++) factor[level] = 1 << level;
    return LEVELS;
}

static void set_defaults(gw_config *config) {
    gw_track_defaults(config);
    config->positions = LONGEST;
    config->epsilon = 1e-3;
}

static gw_status check_sizes(const gw_config *config, const char *path) {
    const int64_t *n = config->number;
    if (n[WINDOW] % ROW != 0)
        return gw_fail(GW_ERR_RANGE, "%s: \"input_length\" is %lld, expected a multiple of %d", path,
                       (long long)n[WINDOW], ROW);
    if (n[BINS] > n[WINDOW] / BIN)
        return gw_fail(GW_ERR_RANGE, "%s: \"bins_to_return\" is %lld; a window of %lld bases has %lld bins of %d", path,
                       (long long)n[BINS], (long long)n[WINDOW], (long long)n[WINDOW] / BIN, BIN);
    if (n[FLASHED] && (n[DIM] % (2 * n[HEADS]) != 0 || n[HEADS] % 2 != 0))
        return gw_fail(GW_ERR_RANGE,
                       "%s: \"dim\" is %lld and \"heads\" is %lld, expected an even number of heads, each of an even "
                       "number of values, where \"flashed\" is true",
                       path, (long long)n[DIM], (long long)n[HEADS]);
    return GW_OK;
}

static gw_status read_config(const gw_config_reader *r) {
    r->config->positions = r->config->number[WINDOW];
    return check_sizes(r->config, r->path);
}

// A scale and a shift, and a GELU of these.
static gw_tensor activate(gw_builder *b, gw_tensor x, const char *name) {
    char norm[64];
    snprintf(norm, sizeof norm, "%s.norm", name);
    x = gw_plan_affine(b->plan, x, gw_declare_norm(b, GW_ROLE_STEM_NORM, norm, x.width), 1);
    return gw_plan_activation(b->plan, x, GW_ACTIVATION_GELU);
}

static gw_tensor block(gw_builder *b, gw_tensor x, const char *name, int64_t width, int taps) {
    char layer[64];
    x = activate(b, x, name);
    snprintf(layer, sizeof layer, "%s.conv_layer", name);
    if (taps == 1) return gw_build_linear(b, x, GW_ROLE_STEM_CONVOLUTION, layer, width, true);
    return gw_build_convolution(b, x, layer, width, taps, 1, true);
}

static gw_tensor halve(gw_builder *b, gw_tensor x, int level) {
    return gw_plan_pool(b->plan, x, b->rows.level[level], GW_POOL_MAX, 2);
}

static gw_weight declare_rows(gw_builder *b, const char *name, int64_t count) {
    return gw_declare_buffer(b, GW_ROLE_OWN, name, true, count, 0);
}

static gw_tensor attend_by_distance(gw_builder *b, gw_tensor x, const float *table) {
    const int64_t *n = b->config->number, keys = n[HEADS] * n[KEY_SIZE], values = n[HEADS] * n[VALUE_SIZE];
    const gw_tensor query = gw_build_linear(b, x, GW_ROLE_QUERY, "0.fn.1.to_q", keys, false),
                    key = gw_build_linear(b, x, GW_ROLE_KEY, "0.fn.1.to_k", keys, false),
                    value = gw_build_linear(b, x, GW_ROLE_VALUE, "0.fn.1.to_v", values, false);
    gw_distance_attention attention = {.heads = (int)n[HEADS],
                                       .groups = (int)n[HEADS],
                                       .most = n[WINDOW] / ROW,
                                       .scale = 1 / sqrt((double)n[KEY_SIZE]),
                                       .precision = b->precision,
                                       .table = table,
                                       .features = FEATURES};
    attention.weight = gw_declare_weight(b, GW_ROLE_OWN, "0.fn.1.to_rel_k", keys, FEATURES);
    attention.content_bias = declare_rows(b, "0.fn.1.rel_content_bias", keys);
    attention.position_bias = declare_rows(b, "0.fn.1.rel_pos_bias", keys);
    const gw_tensor mixed = gw_plan_distance_attention(b->plan, query, key, value, attention);
    return gw_build_linear(b, mixed, GW_ROLE_ATTENTION_OUTPUT, "0.fn.1.to_out", n[DIM], true);
}

static gw_tensor attend_by_turns(gw_builder *b, gw_tensor x, gw_angles angles) {
    const int64_t *n = b->config->number, heads = n[HEADS], size = n[DIM] / heads, groups = heads / 2;
    gw_tensor query = gw_build_linear(b, x, GW_ROLE_QUERY, "0.fn.1.mha.query", heads * size, true),
              key = gw_build_linear(b, x, GW_ROLE_KEY, "0.fn.1.mha.key", groups * size, true);
    const gw_tensor value = gw_build_linear(b, x, GW_ROLE_VALUE, "0.fn.1.mha.value", groups * size, true);
    query = gw_plan_rotary(b->plan, query, (int)heads, angles);
    key = gw_plan_rotary(b->plan, key, (int)groups, angles);
    const gw_distance_attention attention = {.heads = (int)heads,
                                             .groups = (int)groups,
                                             .most = n[WINDOW] / ROW,
                                             .scale = 1 / sqrt((double)size),
                                             .precision = b->precision};
    const gw_tensor mixed = gw_plan_distance_attention(b->plan, query, key, value, attention);
    return gw_build_linear(b, mixed, GW_ROLE_ATTENTION_OUTPUT, "0.fn.1.mha.out_proj", n[DIM], true);
}

// The features of all distances, for all layers.
static const float *make_table(gw_builder *b) {
    const int64_t most = b->config->number[WINDOW] / ROW, count = (2 * most - 1) * FEATURES;
    if (b->lists) return NULL;
    float *table = gw_alloc(count, sizeof *table);
    const float *made = NULL;
    if (table) {
        gw_distance_central_mask(
            &(gw_distance_columns){
                .most = most, .features = FEATURES, .count = FEATURES / 2, .signed_at = FEATURES / 2, .table = table},
            TRAINED_ROWS);
        made = gw_plan_constant(b->plan, table, count);
    } else b->plan->status = GW_ERR_MEMORY;
    free(table);
    return made;
}

static gw_tensor layers(gw_builder *b, gw_tensor x) {
    const int64_t *n = b->config->number;
    const double base = 20000;
    const float *table = n[FLASHED] ? NULL : make_table(b);
    gw_angles angles = {gw_min(ROTATED, n[DIM] / n[HEADS]), NULL, NULL};
    if (n[FLASHED] && !b->lists) angles = gw_plan_angles(b->plan, n[WINDOW] / ROW, angles.rotary, base, NULL);
    for (int layer = 0; layer < n[DEPTH]; layer++) {
        gw_builder_scope(b, "transformer", layer);
        gw_plan_segment_begin(b->plan);
        gw_tensor y = gw_build_norm(b, x, GW_ROLE_ATTENTION_NORM, "0.fn.0");
        y = n[FLASHED] ? attend_by_turns(b, y, angles) : attend_by_distance(b, y, table);
        x = gw_plan_sum(b->plan, y, x);
        y = gw_build_norm(b, x, GW_ROLE_OUTPUT_NORM, "1.fn.0");
        y = gw_build_linear(b, y, GW_ROLE_FEED_FORWARD, "1.fn.1", 2 * n[DIM], true);
        y = gw_plan_activation(b->plan, y, GW_ACTIVATION_RELU);
        x = gw_plan_sum(b->plan, gw_build_linear(b, y, GW_ROLE_OUTPUT, "1.fn.4", n[DIM], true), x);
        gw_plan_segment_end(b->plan);
    }
    gw_builder_scope(b, NULL, 0);
    return x;
}

// Rows of the finer resolution `level`: those of x repeated, and what stood there before; then a convolution of each
// column, and one of all columns.
static gw_tensor rise(gw_builder *b, gw_tensor x, gw_tensor skip, int level) {
    const int64_t width = b->config->number[DIM];
    const int number = level - BIN_LEVEL;
    char name[48];
    snprintf(name, sizeof name, "horizontal_conv%d", number);
    skip = block(b, skip, name, width, 1);
    snprintf(name, sizeof name, "upsampling_unet%d.0", number);
    x = gw_plan_unpool(b->plan, block(b, x, name, width, 1), b->rows.level[level], 2);
    x = gw_plan_sum(b->plan, x, skip);
    snprintf(name, sizeof name, "separable%d.conv_layer.0", number);
    const gw_convolution each = {.weight =
                                     gw_declare_convolution(b, GW_ROLE_STEM_CONVOLUTION, name, LAST_TAPS, width, 1),
                                 .taps = LAST_TAPS,
                                 .dilation = 1,
                                 .groups = (int)width,
                                 .precision = b->precision};
    x = gw_plan_convolution(b->plan, x, each, width);
    snprintf(name, sizeof name, "separable%d.conv_layer.1", number);
    return gw_build_linear(b, x, GW_ROLE_STEM_CONVOLUTION, name, width, true);
}

static void describe(gw_builder *b) {
    const int64_t *n = b->config->number;
    gw_tensor skip[SKIPS];
    char name[48];
    if (!gw_begin_tracks(b)) return;
    gw_tensor x = gw_build_letters(b);
    x = gw_build_convolution(b, x, "conv_dna.conv_layer", n[FIRST_WIDTH], FIRST_TAPS, 1, true);
    x = halve(b, x, 1);
    for (int i = 0; i < TOWER; i++) {
        snprintf(name, sizeof name, "res_tower.%d", 2 * i);
        if (i > 0) x = halve(b, x, i + 1);
        x = block(b, x, name, n[TOWER_WIDTH + i], TAPS);
    }
    skip[0] = x;
    skip[1] = x = block(b, halve(b, x, BIN_LEVEL + 1), "unet1.1", n[DIM], TAPS);
    x = layers(b, halve(b, x, LEVELS));
    for (int level = LEVELS - 1; level >= BIN_LEVEL; level--) x = rise(b, x, skip[level - BIN_LEVEL], level);
    x = block(b, x, "final_joined_convs.0", n[JOINED], 1);
    x = gw_plan_activation(b->plan, x, GW_ACTIVATION_GELU);
    static const char *const heads[] = {"human_head", "mouse_head"};
    const int64_t counts[] = {b->config->labels - n[MOUSE], n[MOUSE]};
    b->end(b, gw_build_track_heads(b, x, heads, counts), (gw_tensor){0});
}

const gw_family_row gw_family_borzoi = {
    .model_type = "godwit",
    .prefix = "Borzoi",
    .fields = gw_track_fields,
    .set_defaults = set_defaults,
    .read = read_config,
    .numbers = numbers,
    .levels = levels,
    .tracks = tracks,
    .keep_tracks = keep_tracks,
    .describe = describe,
};

// ---- folders of borzoi-pytorch: config.json and the weights

static const char *const passed[] = {".inv_freq", NULL};

// Flashzoi's queries, keys and values are the outputs of one layer of the file.
static void place(const gw_config *config, const char *name, gw_stored_place *out) {
    static const char *const parts[] = {".mha.query.", ".mha.key.", ".mha.value."};
    const int64_t dim = config->number[DIM], begin[] = {0, dim, dim + dim / 2};
    for (int i = 0; i < 3; i++) {
        const char *found = strstr(name, parts[i]);
        if (!found) continue;
        snprintf(out->name, sizeof out->name, "%.*s.mha.Wqkv.%s", (int)(found - name), name, found + strlen(parts[i]));
        out->first_output = begin[i];
        out->outputs = 2 * dim;
    }
}

static const gw_state_dict_layout layout = {
    .are = "weights of Borzoi or Flashzoi", .place = place, .epsilon = 1e-3, .passed = passed};

// Widths that the authors' config does not say, by the shapes of the weights.
static gw_status read_widths(const gw_checkpoint *stored, gw_config *config) {
    int64_t shape[3], *n = config->number;
    char name[64];
    GW_TRY(gw_state_dict_shape(&layout, stored, "conv_dna.conv_layer.weight", 3, shape));
    n[FIRST_WIDTH] = shape[0];
    for (int i = 0; i < TOWER; i++) {
        snprintf(name, sizeof name, "res_tower.%d.conv_layer.weight", 2 * i);
        GW_TRY(gw_state_dict_shape(&layout, stored, name, 3, shape));
        n[TOWER_WIDTH + i] = shape[0];
    }
    GW_TRY(gw_state_dict_shape(&layout, stored, "final_joined_convs.0.conv_layer.weight", 3, shape));
    n[JOINED] = shape[0];
    static const char *const heads[] = {"human_head.weight", "mouse_head.weight"};
    const bool mouse = gw_checkpoint_find(stored, heads[1]) != NULL;
    const bool human = !mouse || gw_checkpoint_find(stored, heads[0]);
    int64_t tracks[2] = {0};
    for (int i = 0; i < 2; i++) {
        if (!(i == 0 ? human : mouse)) continue;
        GW_TRY(gw_state_dict_shape(&layout, stored, heads[i], 3, shape));
        tracks[i] = shape[0];
    }
    n[MOUSE] = tracks[1];
    if (tracks[1] > 0) return gw_name_species(config, tracks[0], tracks[1]);
    config->labels = tracks[0];
    return GW_OK;
}

static gw_status read_numbers(const char *path, gw_config *config) {
    bool center = true, flashed = false;
    json_t *json = NULL;
    GW_TRY(gw_json_load(path, &json));
    gw_status status = gw_json_bool(json, path, "return_center_bins_only", false, &center);
    if (status == GW_OK) status = gw_json_bool(json, path, "flashed", false, &flashed);
    for (int i = 0; status == GW_OK && numbers[i].key; i++)
        if (i != FLASHED && i != MOUSE)
            status =
                gw_json_int(json, path, numbers[i].key, false, numbers[i].least, numbers[i].most, &config->number[i]);
    json_decref(json);
    config->number[FLASHED] = flashed;
    const int64_t beside = 32; // bins that are left out where not the middle ones alone are asked for
    if (!center) config->number[BINS] = config->number[WINDOW] / BIN - beside;
    return status == GW_OK ? check_sizes(config, path) : status;
}

static const gw_state_dict_layout *layout_of(const gw_checkpoint *stored) {
    (void)stored;
    return &layout;
}

gw_status gw_model_from_borzoi(const char *path, gw_model **out) {
    static const gw_track_folder_kind kind = {GW_FAMILY_BORZOI, read_numbers, read_widths, layout_of};
    return gw_model_from_track_folder(&kind, path, out);
}
