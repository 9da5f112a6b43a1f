// SPDX-License-Identifier: MIT
// The layers of a convolutional stem (nn/stem.h).
#ifndef GW_NN_STEM_LAYERS_H
#define GW_NN_STEM_LAYERS_H

#include "nn/layers.h"
#include "nn/stem.h"

// Tensors of a part: those of its kind.
typedef struct {
    gw_weight convolution, convolution_bias; // [taps][width][in], [width]
    gw_weight place;                         // [positions][width]
    int64_t positions;
    gw_norm norm, output_norm;      // of a residual block or unit
    gw_linear mix;                  // behind the convolution of a GPN layer
    gw_linear feed_forward, output; // of a residual block or a GPN layer; output of a skip
    gw_weight second, second_bias;  // the second convolution of a unit
} gw_stem_weights;

typedef struct {
    const gw_stem *stem;
    const gw_stem_weights *weights; // [stem->count]
    int stream[GW_STEM_LEVELS];     // of each level; [0] the tokens
    int made[GW_STEM_PARTS];        // row set of those of a part's rows that are made (gw_stem_reads_few()); 0: all
    gw_activation activation;
    gw_precision precision;
    double epsilon, dropout; // dropout: behind the sublayers of GPN layers
} gw_stem_layers;

// The parts before attention, and those after it. `skips` is what poolings took by level, and at 0 the sum of skips,
// which the first call writes and the second reads.
gw_tensor gw_plan_stem_before(gw_plan *plan, const gw_stem_layers *layers, gw_tensor in,
                              gw_tensor skips[GW_STEM_LEVELS]);
gw_tensor gw_plan_stem_after(gw_plan *plan, const gw_stem_layers *layers, gw_tensor in,
                             gw_tensor skips[GW_STEM_LEVELS]);

#endif
