// SPDX-License-Identifier: MIT
// SpliceAI (Jaganathan et al., 2019): its models as Keras wrote them, whose norms add 1e-3 to variances.
// Keras numbers layers of a kind in the order in which they were made: conv1d_1 is the first convolution, conv1d_2 the
// skip before the units, then come those of each unit and the skip behind every fourth. Kernels are [taps][in][out].
#include "model/foreign.h"
#include "model/splice_weights.h"

#include <stdio.h>

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
