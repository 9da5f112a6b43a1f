// SPDX-License-Identifier: MIT
// APARENT2 (Linder et al., 2022): cleavage and polyadenylation of RNA behind a signal. SpliceAI's graph with three taps
// and seven stages reads 205 bases, with the signal of six bases at 70, and gives each base a logit for the cleavage
// site. A further position stands for no cleavage. Additions to the logits of each position depend on the measured
// library of constructs; the authors score variants with that of index 11.
#include "model/config_reader.h"
#include "model/convert.h"
#include "model/family.h"
#include "model/model.h"
#include "model/splice_weights.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 32, WINDOW = 205, PLACES = WINDOW + 1, LIBRARIES = 13, LIBRARY = 11 };

// The usual signal, and those that differ from it in one base and are known from human genes.
static const char *const signals[] = {"AATAAA", "ATTAAA", "AGTAAA", "ACTAAA", "TATAAA", "CATAAA", "GATAAA",
                                      "AATATA", "AATACA", "AATAGA", "AATGAA", "AAGAAA", NULL};
static const gw_signal_scoring scoring = {.signals = signals, .window = WINDOW, .at = 70, .from = 77, .to = 127};

static void describe(gw_builder *b) {
    gw_splice_describe(b, "polya.");
    if (!b->plan) return; // names alone are asked for
    gw_builder_scope(b, NULL, 0);
    gw_declare_weight(b, GW_ROLE_PLACES, "places", PLACES, 1);
}

const gw_family_row gw_family_polya = {
    .model_type = "godwit",
    .prefix = "Polya",
    .set_defaults = gw_splice_defaults,
    .read = gw_config_read_bases,
    .describe = describe,
    .scoring = {.signals = &scoring},
};

// ---- the file, as Keras wrote it; kernels are [1][taps][in][out]

static void name_layer(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]) {
    static const char *const of_unit[] = {[GW_SPLICE_NORM] = "batch_norm_0",
                                          [GW_SPLICE_CONVOLUTION] = "conv_0",
                                          [GW_SPLICE_SECOND_NORM] = "batch_norm_1",
                                          [GW_SPLICE_SECOND] = "conv_1"};
    const int stage = units / GW_SPLICE_STAGE_UNITS;
    char name[48];
    if (kind == GW_SPLICE_FIRST) snprintf(name, sizeof name, "aparent_conv_0");
    else if (kind == GW_SPLICE_SKIP && stage == 7) snprintf(name, sizeof name, "aparent_last_block_conv");
    else if (kind == GW_SPLICE_SKIP) snprintf(name, sizeof name, "aparent_skip_conv_%d", stage);
    else snprintf(name, sizeof name, "aparent_resblock_%d_%d_%s", stage, units % GW_SPLICE_STAGE_UNITS, of_unit[kind]);
    snprintf(out, GW_SPLICE_LAYER_NAME, "model_weights/%s/%s/", name, name);
}

static gw_status name_label(const char *path, gw_string *name) {
    (void)path;
    gw_string_puts(name, "cleavage");
    return gw_string_status(name);
}

static gw_status read_logit(gw_splice_source *from, const char *path, float *weight, float *bias) {
    static const char layer[] = "model_weights/aparent_final_conv/aparent_final_conv";
    const float *values;
    char name[GW_SPLICE_LAYER_NAME];
    (void)path;
    snprintf(name, sizeof name, "%s/kernel:0", layer);
    GW_TRY(gw_splice_source_read(from, name, (const int64_t[3]){1, WIDTH, 1}, &values));
    memcpy(weight, values, WIDTH * sizeof *weight);
    snprintf(name, sizeof name, "%s/bias:0", layer);
    GW_TRY(gw_splice_source_read(from, name, (const int64_t[3]){1}, &values));
    *bias = values[0];
    return GW_OK;
}

static gw_status read_places(gw_splice_source *from, gw_model *model) {
    static const char layer[] = "model_weights/aparent_lib_conv/aparent_lib_conv";
    float *places = model->parameters.weight + gw_model_role(model, GW_ROLE_PLACES, 0, false)->offset;
    const float *values;
    char name[GW_SPLICE_LAYER_NAME];
    snprintf(name, sizeof name, "%s/kernel:0", layer);
    GW_TRY(gw_splice_source_read(from, name, (const int64_t[3]){PLACES, LIBRARIES, 1}, &values));
    for (int place = 0; place < PLACES; place++) places[place] = values[place * LIBRARIES + LIBRARY];
    snprintf(name, sizeof name, "%s/bias:0", layer);
    GW_TRY(gw_splice_source_read(from, name, (const int64_t[3]){1, PLACES, 1}, &values));
    for (int place = 0; place < PLACES; place++) places[place] += values[place];
    return GW_OK;
}

gw_status gw_model_from_aparent2(const char *path, gw_model **out) {
    static const gw_family family = GW_FAMILY_POLYA;
    static const gw_splice_stage stages[] = {{3, 1}, {3, 2}, {3, 4}, {3, 8}, {3, 4}, {3, 2}, {3, 1}};
    static const gw_splice_weights layout = {.are = "a Keras model of APARENT2",
                                             .files = "*.h5",
                                             .unit = "unit",
                                             .weight = "kernel:0",
                                             .bias = "bias:0",
                                             .norm = {"gamma:0", "beta:0", "moving_mean:0", "moving_variance:0"},
                                             .epsilon = 1e-3,
                                             .taps_first = true,
                                             .unknown_is_mean = true,
                                             .stages = stages,
                                             .stage_count = sizeof stages / sizeof *stages,
                                             .name = name_layer,
                                             .family = &family,
                                             .label = name_label,
                                             .logit = read_logit,
                                             .rest = read_places};
    return gw_splice_weights_read(&layout, path, out);
}
