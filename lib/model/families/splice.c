// SPDX-License-Identifier: MIT
// Networks of dilated convolutions over single bases with classes for each base: SpliceAI (Jaganathan et al., 2019) and
// OpenSpliceAI. The network is a stem (nn/stem.h) on embedded letters, without norms around it.
#include "model/config_reader.h"
#include "model/convert.h"
#include "model/family.h"
#include "model/splice_weights.h"

#include <stdio.h>

void gw_splice_defaults(gw_config *config) {
    config->head = GW_HEAD_TOKEN;
    config->vocabulary = 10;
    config->positions = 1024;
    config->segments = 1;
    config->activation = GW_ACTIVATION_RELU;
}

void gw_splice_describe(gw_builder *b, const char *prefix) {
    gw_transformer of = gw_bert();
    gw_name_stem(&of);
    of.prefix = prefix;
    of.segments = of.embedding_norm = NULL;
    of.order = GW_DROPOUT_THEN_NORM;
    of.drawn_by = GW_DRAWN_BY_INPUTS;
    gw_describe_transformer(b, &of);
}

static void describe(gw_builder *b) {
    gw_splice_describe(b, "splice.");
}

static bool splices(const gw_config *config) {
    static const char *const names[] = {"none", "acceptor", "donor"};
    if (config->labels != 3) return false;
    for (int l = 0; config->label_names && l < 3; l++)
        if (strcmp(config->label_names[l], names[l]) != 0) return false;
    return true;
}

const gw_family_row gw_family_splice = {
    .model_type = "godwit",
    .prefix = "Splice",
    .set_defaults = gw_splice_defaults,
    .read = gw_config_read_bases,
    .describe = describe,
    .scoring = {.splices = splices},
};

// SpliceAI (Jaganathan et al., 2019): its models as Keras wrote them, whose norms add 1e-3 to variances.
// Keras numbers layers of a kind in the order in which they were made: conv1d_1 is the first convolution, conv1d_2 the
// skip before the units, then come those of each unit and the skip behind every fourth. Kernels are [taps][in][out].

static void name_keras_layer(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]) {
    const bool norm = kind == GW_SPLICE_NORM || kind == GW_SPLICE_SECOND_NORM;
    const bool second = kind == GW_SPLICE_SECOND || kind == GW_SPLICE_SECOND_NORM;
    const int convolutions = 2 + 2 * units + units / GW_SPLICE_STAGE_UNITS; // with the skip behind these units
    const int number = norm                      ? 2 * units + 1 + second
                       : kind == GW_SPLICE_FIRST ? 1
                       : kind == GW_SPLICE_SKIP  ? convolutions
                                                 : convolutions + 1 + second;
    const char *name = norm ? "batch_normalization" : "conv1d";
    snprintf(out, GW_SPLICE_LAYER_NAME, "model_weights/%s_%d/%s_%d/", name, number, name, number);
}

gw_status gw_model_from_spliceai(const char *path, gw_model **out) {
    static const gw_splice_weights layout = {.are = "a Keras model of SpliceAI",
                                             .files = "*.h5",
                                             .unit = "unit",
                                             .weight = "kernel:0",
                                             .bias = "bias:0",
                                             .norm = {"gamma:0", "beta:0", "moving_mean:0", "moving_variance:0"},
                                             .epsilon = 1e-3,
                                             .taps_first = true,
                                             .name = name_keras_layer};
    return gw_splice_weights_read(&layout, path, out);
}

// State dicts of torch, of OpenSpliceAI (Chao et al., 2024) and of the networks of SpliceAI's architecture that deCODE
// trained for Spliceformer (Jónsson et al., 2024). Their convolutions are [out][in][taps]. OpenSpliceAI's names:
// initial_conv, initial_skip.conv, residual_units.I with batchnorm1, conv1, batchnorm2, conv2, every fifth of which is
// a skip (residual_units.I.conv), final_conv. Spliceformer's, behind "module.": conv_layer_1, skip_layers.S,
// res_layers.S.comboBlock.U with bn1, convlayer1, bn2, convlayer2, conv_final.

static void name_torch_layer(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]) {
    static const char *const of_unit[] = {[GW_SPLICE_NORM] = "batchnorm1",
                                          [GW_SPLICE_CONVOLUTION] = "conv1",
                                          [GW_SPLICE_SECOND_NORM] = "batchnorm2",
                                          [GW_SPLICE_SECOND] = "conv2"};
    const int before = units + units / GW_SPLICE_STAGE_UNITS; // skips too
    const char *whole = kind == GW_SPLICE_FIRST                ? "initial_conv"
                        : kind == GW_SPLICE_LAST               ? "final_conv"
                        : kind == GW_SPLICE_SKIP && units == 0 ? "initial_skip.conv"
                                                               : NULL;
    if (whole) snprintf(out, GW_SPLICE_LAYER_NAME, "%s", whole);
    else if (kind == GW_SPLICE_SKIP) snprintf(out, GW_SPLICE_LAYER_NAME, "residual_units.%d.conv", before - 1);
    else snprintf(out, GW_SPLICE_LAYER_NAME, "residual_units.%d.%s", before, of_unit[kind]);
}

gw_status gw_model_from_openspliceai(const char *path, gw_model **out) {
    static const gw_splice_weights layout = {.are = "a state dict of OpenSpliceAI",
                                             .files = "*.pt",
                                             .unit = "leaky-unit",
                                             .weight = ".weight",
                                             .bias = ".bias",
                                             .norm = {".weight", ".bias", ".running_mean", ".running_var"},
                                             .batches = ".num_batches_tracked",
                                             .epsilon = 1e-5,
                                             .name = name_torch_layer};
    return gw_splice_weights_read(&layout, path, out);
}

static void name_spliceformer_layer(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]) {
    static const char *const of_unit[] = {[GW_SPLICE_NORM] = "bn1",
                                          [GW_SPLICE_CONVOLUTION] = "convlayer1",
                                          [GW_SPLICE_SECOND_NORM] = "bn2",
                                          [GW_SPLICE_SECOND] = "convlayer2"};
    const int stage = units / GW_SPLICE_STAGE_UNITS, unit = units % GW_SPLICE_STAGE_UNITS;
    if (kind == GW_SPLICE_FIRST) snprintf(out, GW_SPLICE_LAYER_NAME, "module.conv_layer_1");
    else if (kind == GW_SPLICE_LAST) snprintf(out, GW_SPLICE_LAYER_NAME, "module.conv_final");
    else if (kind == GW_SPLICE_SKIP) snprintf(out, GW_SPLICE_LAYER_NAME, "module.skip_layers.%d", stage);
    else snprintf(out, GW_SPLICE_LAYER_NAME, "module.res_layers.%d.comboBlock.%d.%s", stage, unit, of_unit[kind]);
}

gw_status gw_model_from_spliceformer(const char *path, gw_model **out) {
    static const gw_splice_weights layout = {.are = "a state dict of Spliceformer's SpliceAI-10k",
                                             .files = "*.pt",
                                             .unit = "unit",
                                             .weight = ".weight",
                                             .bias = ".bias",
                                             .norm = {".weight", ".bias", ".running_mean", ".running_var"},
                                             .batches = ".num_batches_tracked",
                                             .epsilon = 1e-5,
                                             .name = name_spliceformer_layer};
    return gw_splice_weights_read(&layout, path, out);
}
