// SPDX-License-Identifier: MIT
// The network of splicing as a list of convolutions, for who computes rows of its levels by himself.
//
// Level 0 is the embedded bases. Convolution k reads level k, as f(scale x + shift), and makes level k + 1: the first
// one of a residual unit as it is, the second one added to the level before. Skips add W x + b of levels to a sum,
// which the head reads.
#ifndef GW_SCORE_SPLICE_LAYERS_H
#define GW_SCORE_SPLICE_LAYERS_H

#include "kernels/kernel.h"
#include "model/model.h"

enum { GW_SPLICE_LEVELS = 2 * GW_STEM_PARTS + 1 };

typedef struct {
    const float *scale, *shift; // [width]
    float slope;                // f(z) = max(z, slope z)
    const float *weight, *bias; // [taps][width][width], [width]
    int taps, dilation;
    int64_t reach; // rows on either side that a row depends on
    bool second;   // of a unit
} gw_splice_layer;

typedef struct {
    int level;
    gw_linear_layer linear; // [width][width]
} gw_splice_skip;

typedef struct {
    int64_t width;
    gw_precision precision; // of the convolutions
    int count, skips;
    gw_splice_layer layer[GW_SPLICE_LEVELS - 1];
    gw_splice_skip skip[GW_STEM_PARTS];
    const float *embedding;          // [tokens][width]
    gw_linear_layer head;            // [classes][width]
    int64_t reach[GW_SPLICE_LEVELS]; // rows on either side that a row of the level depends on; of the last, the flank
} gw_splice_layers;

// Borrows the weights of a member of a model that labels bases by convolutions alone, which ops read. False: it has
// other layers too, or its weights may change (gw_model_freeze()).
bool gw_splice_layers_of(const gw_model *member, gw_splice_layers *out);

#endif
