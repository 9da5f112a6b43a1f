// SPDX-License-Identifier: MIT
// BPNet (Avsec et al., 2021) and ChromBPNet (Pampari et al., 2024): dilated convolutions over single bases predict the
// distribution of reads (a profile) and their number (counts).
//
//   x = relu(conv21(bases));  x = x + relu(conv3(x; dilation 2^i)), i = 1 .. layers
//   profile logits of each strand = conv75(x);  counts ln(1 + n) = mean over the rows of w . x + b
//
// Counts are a mean over the profile's rows and 37 more on either side, which the profile's convolution reads too; here
// each row gets its own w . x + b. The profile's convolution also reads control tracks, and counts also read ln(1 +
// their sum). ChromBPNet is two such networks, one for the enzyme's bias: profile logits are added, counts are ln(exp +
// exp).
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/string.h"
#include "model/config_reader.h"
#include "model/convert.h"
#include "model/families/tracks.h"
#include "model/family.h"
#include "model/state_dict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_TAPS = 21, PROFILE_TAPS = 75, LONGEST = 1 << 20 };
enum { FILTERS, LAYERS, OUTPUTS, CONTROLS, WINDOW, BIAS_FILTERS, BIAS_LAYERS, COUNT_WEIGHT };

static const gw_family_number numbers[] = {
    [FILTERS] = {"n_filters", 64, 1, 1 << 14},
    [LAYERS] = {"n_layers", 8, 1, 12},
    [OUTPUTS] = {"n_outputs", 2, 1, 2}, // strands
    [CONTROLS] = {"n_control_tracks", 0, 0, 64},
    [WINDOW] = {"input_length", 2114, 1, LONGEST},
    [BIAS_FILTERS] = {"bias_filters", 0, 0, 1 << 14}, // 0: there is no bias model
    [BIAS_LAYERS] = {"bias_layers", 4, 1, 12},
    [COUNT_WEIGHT] = {"count_loss_weight", 1, 0, 1 << 20},
    {0},
};

// Bases on either side that a row of the profile reads, of a network of so many layers.
static int64_t reach_of(int64_t layers) {
    return (FIRST_TAPS - 1) / 2 + (PROFILE_TAPS - 1) / 2 + (1 << (layers + 1)) - 2;
}

static gw_tracks tracks(const gw_config *config) {
    const int64_t *n = config->number, reach = reach_of(n[LAYERS]);
    return (gw_tracks){.window = n[WINDOW],
                       .bin = 1,
                       .rows = n[WINDOW] - 2 * reach,
                       .columns = (n[OUTPUTS] + 1) * (n[BIAS_FILTERS] > 0 ? 2 : 1),
                       .profiles = true,
                       .strands = (int)n[OUTPUTS],
                       .count_weight = (double)n[COUNT_WEIGHT],
                       .margin = (PROFILE_TAPS - 1) / 2,
                       .reach = reach};
}

static void set_defaults(gw_config *config) {
    gw_track_defaults(config);
    config->positions = LONGEST;
}

static void leave_scored(gw_config *config) {
    config->number[BIAS_FILTERS] = 0;
}

static gw_status read_config(const gw_config_reader *r) {
    const int64_t *n = r->config->number, most = gw_max(n[LAYERS], n[BIAS_FILTERS] > 0 ? n[BIAS_LAYERS] : 0);
    if (n[BIAS_FILTERS] > 0 && n[BIAS_LAYERS] > n[LAYERS])
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s: \"bias_layers\" is %lld, more than the %lld of the model itself: its rows would read further", r->path,
            (long long)n[BIAS_LAYERS], (long long)n[LAYERS]);
    if (n[WINDOW] > 2 * reach_of(most)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "%s: \"input_length\" is %lld, expected more than the %lld bases that one row reads",
                   r->path, (long long)n[WINDOW], 2 * (long long)reach_of(most) + 1);
}

// The profile of each strand and the counts; `part` is "" or "bias.".
static gw_tensor network(gw_builder *b, gw_tensor bases, const char *part, int64_t filters, int layers) {
    const int64_t *n = b->config->number;
    char name[48];
    snprintf(name, sizeof name, "%siconv", part);
    gw_tensor x = gw_build_convolution(b, bases, name, filters, FIRST_TAPS, 1, true);
    x = gw_plan_activation(b->plan, x, GW_ACTIVATION_RELU);
    for (int i = 0; i < layers; i++) {
        gw_plan_segment_begin(b->plan);
        snprintf(name, sizeof name, "%srconvs.%d", part, i);
        const gw_tensor y = gw_build_convolution(b, x, name, filters, 3, 2 << i, true);
        x = gw_plan_sum(b->plan, gw_plan_activation(b->plan, y, GW_ACTIVATION_RELU), x);
        gw_plan_segment_end(b->plan);
    }
    snprintf(name, sizeof name, "%sfconv", part);
    const gw_tensor profile = gw_build_convolution(b, x, name, n[OUTPUTS], PROFILE_TAPS, 1, true);
    snprintf(name, sizeof name, "%slinear", part);
    const gw_tensor counts = gw_build_linear(b, x, GW_ROLE_LOGITS, name, 1, true);
    return gw_plan_concatenate(b->plan, profile, counts);
}

static void describe(gw_builder *b) {
    const int64_t *n = b->config->number;
    if (!gw_begin_tracks(b)) return;
    const gw_tensor bases = gw_build_letters(b);
    gw_tensor out = network(b, bases, "", n[FILTERS], (int)n[LAYERS]);
    if (n[BIAS_FILTERS] > 0)
        out = gw_plan_concatenate(b->plan, out, network(b, bases, "bias.", n[BIAS_FILTERS], (int)n[BIAS_LAYERS]));
    if (n[CONTROLS] > 0) { // what control tracks add (network/controls.h); no step reads them
        gw_declare_convolution(b, GW_ROLE_OWN, "fconv_control", PROFILE_TAPS, n[OUTPUTS], n[CONTROLS]);
        gw_declare_weight(b, GW_ROLE_OWN, "linear_control", 1, 1);
    }
    b->end(b, out, (gw_tensor){0});
}

const gw_family_row gw_family_bpnet = {
    .model_type = "godwit",
    .prefix = "BPNet",
    .fields = gw_track_fields,
    .set_defaults = set_defaults,
    .read = read_config,
    .numbers = numbers,
    .tracks = tracks,
    .leave_scored = leave_scored,
    .describe = describe,
};

// ---- files: state dicts of bpnet-lite, and what Keras wrote for ChromBPNet

static const char *const parts[] = {"", "accessibility."}; // before bpnet-lite's names: of a BPNet, of a ChromBPNet
static const char keras_prefix[] = "model_weights/";

static void place_torch(const gw_config *config, const char *name, gw_stored_place *out) {
    const int64_t filters = config->number[FILTERS];
    const bool bias = gw_has_prefix(name, "bias."), control = strstr(name, "_control") != NULL;
    const char *part = !bias && config->number[BIAS_FILTERS] > 0 ? parts[1] : "";
    if (control) {
        const bool profile = gw_has_prefix(name, "fconv");
        snprintf(out->name, sizeof out->name, "%s%s.weight", part, profile ? "fconv" : "linear");
        out->first = filters;
        out->inputs = profile ? config->number[CONTROLS] : 1;
        return;
    }
    snprintf(out->name, sizeof out->name, "%s%s", part, name);
    const bool joined = strcmp(name, "fconv.weight") == 0 || strcmp(name, "linear.weight") == 0;
    if (joined && config->number[CONTROLS] > 0) out->inputs = filters;
}

static void put_keras(const char *prefix, const char *name, gw_stored_place *out) {
    const char *field = gw_has_suffix(name, ".bias") ? "bias:0" : "kernel:0";
    const bool of_bias = *prefix == 0;
    char layer[36];
    int number;
    if (gw_has_prefix(name, "iconv")) snprintf(layer, sizeof layer, "%sbpnet_1st_conv", prefix);
    else if (sscanf(name, "rconvs.%d", &number) == 1)
        snprintf(layer, sizeof layer, "%sbpnet_%dconv", prefix, number + 1);
    else
        snprintf(layer, sizeof layer, "%s%s%s", prefix, of_bias ? "" : "bpnet_",
                 gw_has_prefix(name, "fconv") ? "prof_out_precrop" : "logcount_predictions");
    snprintf(out->name, sizeof out->name, "%s%s/%s/%s", keras_prefix, layer, layer, field);
}

static void place_keras(const gw_config *config, const char *name, gw_stored_place *out) {
    (void)config;
    put_keras("wo_bias_", name, out);
}

static void place_keras_bias(const gw_config *config, const char *name, gw_stored_place *out) {
    (void)config;
    put_keras("", name, out);
}

static const gw_state_dict_layout layouts[] = {
    {.are = "a state dict of BPNet or ChromBPNet", .place = place_torch},
    {.are = "a Keras model of ChromBPNet without its bias", .place = place_keras, .taps_first = true},
    {.are = "a Keras model of ChromBPNet's bias", .place = place_keras_bias, .taps_first = true},
};
enum { TORCH, KERAS, KERAS_BIAS, KINDS };

// The layers of a network whose names of layout `kind` begin with `part`.
static int64_t count_layers(const gw_checkpoint *stored, int kind, const char *part) {
    const gw_config usual = gw_config_defaults(GW_FAMILY_BPNET);
    for (int64_t layers = 0;; layers++) {
        gw_stored_place place = {{0}, 0, 0, 0, 0};
        char name[48], whole[GW_PARAMETER_NAME];
        snprintf(name, sizeof name, "rconvs.%lld.weight", (long long)layers);
        layouts[kind].place(&usual, name, &place);
        snprintf(whole, sizeof whole, "%s%s", part, place.name);
        if (!gw_checkpoint_find(stored, whole)) return layers;
    }
}

static bool holds(const gw_checkpoint *stored, int kind, const char *part) {
    return count_layers(stored, kind, part) > 0;
}

// Sizes by the shapes of the first and the last convolution.
static gw_status read_sizes(const gw_checkpoint *stored, int kind, const char *part, gw_config *config) {
    const gw_config usual = gw_config_defaults(GW_FAMILY_BPNET);
    const bool keras = kind != TORCH;
    const char *const tensors[] = {"iconv.weight", "fconv.weight"};
    int64_t shape[2][3], *n = config->number;
    for (int i = 0; i < 2; i++) {
        gw_stored_place place = {{0}, 0, 0, 0, 0};
        char name[GW_PARAMETER_NAME];
        layouts[kind].place(&usual, tensors[i], &place);
        snprintf(name, sizeof name, "%s%s", part, place.name);
        GW_TRY(gw_state_dict_shape(&layouts[kind], stored, name, 3, shape[i]));
    }
    n[FILTERS] = shape[0][keras ? 2 : 0];
    n[OUTPUTS] = shape[1][keras ? 2 : 0];
    n[CONTROLS] = shape[1][1] - n[FILTERS];
    n[LAYERS] = count_layers(stored, kind, part);
    for (int i = 0; numbers[i].key; i++)
        if (n[i] < numbers[i].least || n[i] > numbers[i].most)
            return gw_fail(GW_ERR_FORMAT, "%s: \"%s\" would be %lld, expected %lld to %lld",
                           gw_checkpoint_at(stored, 0)->file, numbers[i].key, (long long)n[i],
                           (long long)numbers[i].least, (long long)numbers[i].most);
    return GW_OK;
}

static gw_status read_file(const char *path, int kind, gw_model **out) {
    gw_config config = gw_config_defaults(GW_FAMILY_BPNET), bias = config;
    gw_checkpoint *stored;
    GW_TRY(gw_checkpoint_open(path, &stored));
    for (int k = 0; kind < 0 && k < KINDS; k++)
        if (holds(stored, k, "") || holds(stored, k, parts[1])) kind = k;
    if (kind < 0) kind = TORCH; // the first tensor that is missing is named
    const char *part = holds(stored, kind, parts[1]) ? parts[1] : "";
    gw_status status = read_sizes(stored, kind, part, &config);
    if (status == GW_OK && *part) {
        status = read_sizes(stored, kind, "bias.", &bias);
        config.number[BIAS_FILTERS] = bias.number[FILTERS];
        config.number[BIAS_LAYERS] = bias.number[LAYERS];
    }
    config.window = config.number[WINDOW];
    config.bin = 1;
    if (status == GW_OK) status = gw_model_from_state_dict(&layouts[kind], stored, &config, out);
    gw_checkpoint_close(stored);
    return status;
}

// Both networks as one; takes them over.
static gw_status join(gw_model *of, gw_model *bias, gw_model **out) {
    gw_config config = of->config;
    gw_model *made = NULL;
    gw_tokenizer *letters = NULL;
    config.number[BIAS_FILTERS] = bias->config.number[FILTERS];
    config.number[BIAS_LAYERS] = bias->config.number[LAYERS];
    gw_status status = gw_tokenizer_letters(&letters);
    if (status == GW_OK) status = gw_model_new(&config, letters, 0, &made);
    for (int i = 0; status == GW_OK && i < made->parameters.count; i++) {
        const gw_parameter *p = &made->parameters.list[i];
        const bool own = !gw_has_prefix(p->name, "bias.");
        const gw_model *from = own ? of : bias;
        const gw_parameter *source = gw_model_parameter(from, own ? p->name : p->name + strlen("bias."));
        if (!source || source->count != p->count)
            status = gw_fail(GW_ERR_MISMATCH, "the bias model has another number of strands or control tracks");
        else
            memcpy(made->parameters.weight + p->offset, from->parameters.weight + source->offset,
                   (size_t)p->count * sizeof(float));
    }
    gw_model_free(of);
    gw_model_free(bias);
    if (status == GW_OK) *out = made;
    else gw_model_free(made);
    return status;
}

// A file; or a folder as ChromBPNet's own program writes it.
gw_status gw_model_from_bpnet(const char *path, gw_model **out) {
    static const char *const files[] = {"chrombpnet_nobias.h5", "bias_model_scaled.h5"};
    char *of = gw_join_path(path, files[0]), *beside = gw_join_path(path, files[1]);
    gw_status status = of && beside ? GW_OK : GW_ERR_MEMORY;
    gw_model *bias = NULL;
    *out = NULL;
    if (status == GW_OK && access(of, F_OK) != 0) status = read_file(path, -1, out);
    else if (status == GW_OK) {
        gw_model *whole = NULL;
        status = read_file(of, KERAS, &whole);
        const bool has = status == GW_OK && access(beside, F_OK) == 0;
        if (has) status = read_file(beside, KERAS_BIAS, &bias);
        if (status != GW_OK) gw_model_free(whole);
        else if (has) status = join(whole, bias, out);
        else *out = whole;
    }
    free(of);
    free(beside);
    return status;
}
