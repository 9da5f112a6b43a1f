// SPDX-License-Identifier: MIT
// A convolutional stem: the layers between single bases and attention, as text. nn/stem_layers.h has the layers.
//
//   stem  := [letters:W +] part [+ part]...
//            letters:W          letters are embedded in W channels instead of the model's width. There are few letters,
//                               so the first convolution is W products a tap and channel
//   part  := conv:K[xW][@D]     a convolution of K taps (odd), dilation D (1), to W channels (default: the incoming
//                               number), and the activation
//            res:K[@D,D,...]    for each dilation a pre-norm residual block; W_1 has twice the width:
//                                 x = x + act(conv_K(LN(x)));  x = x + W_2 act(W_1 LN(x))
//            unit:K[@D,D,...]   for each dilation a residual unit with norms of fixed statistics a z + b, per channel:
//                                 x = x + conv_K(f(a_2 conv_K(f(a_1 x + b_1)) + b_2)), f = ReLU
//            leaky-unit:K[...]  the same with f(z) = max(z, z / 10)
//            gpn:K[xW][@D,...]  for each dilation a layer of GPN with norms before its sublayers; W_1 has W channels
//                               (default: four times the incoming number):
//                                 x = x + W act(conv_K(LN(x)));  x = x + W_2 act(W_1 LN(x))
//            convnet:K[@D,...]  for each dilation a layer of the first GPN, with norms behind its sublayers:
//                                 x = x + LN(act(conv_K(x)));  x = x + LN(act(W x))
//            skip               s = s + W x, beside x (s = 0 at first); behind the last part x is s
//            pool:F, mean:F     the largest value or the mean of every F rows
//            unpool:F           each row F times, plus the input of the matching pooling
//            positions          x = x + P[i], learned; i is the row's position in its sequence at that resolution
//            attention          place of attention, once; default: before the first unpool, or at the end
//
// Units and skips are those of SpliceAI (Jaganathan et al., 2019). Attention is at the coarsest resolution. With fewer
// unpools than pools, the hidden states are those of windows of bases. They serve only for labels of sequences.
#ifndef GW_NN_STEM_H
#define GW_NN_STEM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_STEM_PARTS = 64, GW_STEM_LEVELS = 8, GW_STEM_TEXT = 384 };

typedef enum {
    GW_STEM_CONVOLUTION,
    GW_STEM_RESIDUAL,
    GW_STEM_UNIT,
    GW_STEM_LEAKY_UNIT,
    GW_STEM_GPN,
    GW_STEM_CONVNET,
    GW_STEM_MAX_POOL,
    GW_STEM_MEAN_POOL,
    GW_STEM_UNPOOL,
    GW_STEM_POSITIONS,
    GW_STEM_SKIP
} gw_stem_kind;

typedef struct {
    gw_stem_kind kind;
    int taps, dilation; // of convolutions
    int factor;         // of pooling
    int level;          // resolution of its result: 0 single bases, each pooling adds one
    int64_t in, width;  // incoming and outgoing channels
    int64_t wide;       // channels of W_1, or of W if there is no second matrix; 0: no feed-forward layer
} gw_stem_layer;

typedef struct {
    char text[GW_STEM_TEXT]; // as given; "": no stem
    int64_t letters;         // channels of the embedding
    int count;
    gw_stem_layer part[GW_STEM_PARTS];
    int before;                 // number of parts before attention
    int levels;                 // number of poolings
    int factor[GW_STEM_LEVELS]; // bases to a row of each level; [0] is 1
} gw_stem;

// Parses a stem for a model of this width. The stem ends with this width, and begins with it unless it has `letters`.
gw_status gw_stem_parse(const char *text, int64_t width, gw_stem *out) GW_MUST_CHECK;
// Whether a part is a residual unit, with either activation.
bool gw_stem_is_unit(const gw_stem_layer *part);
// Whether the last part is followed by the sum of skips.
bool gw_stem_has_skips(const gw_stem *stem);
// Whether a part uses positions of rows.
bool gw_stem_has_positions(const gw_stem *stem);
// The level of the hidden states.
int gw_stem_end_level(const gw_stem *stem);
// Bases that a row of the last level before attention depends on.
int64_t gw_stem_receptive_field(const gw_stem *stem);
// Rows of a level for a sequence of so many tokens; without a stem, of level 0.
int64_t gw_stem_rows(const gw_stem *stem, int level, int64_t tokens);

#endif
