// SPDX-License-Identifier: MIT
// A convolutional stem: what stands between single bases and attention, as text. nn/stem_layers.h has its layers.
//
//   stem  := [letters:W +] part [+ part]...
//            letters:W          letters are embedded in W channels, instead of the model's width: there are few, and
//                               the first convolution is W products a tap and channel
//   part  := conv:K[xW][@D]     a convolution of K taps (odd), dilation D (1), to W channels (as many as come in), and
//                               the activation
//            res:K[@D,D,...]    for each dilation a pre-norm residual block:
//                                 x = x + act(conv_K(LN(x)));  x = x + W_2 act(W_1 LN(x)), W_1 of twice the width
//            unit:K[@D,D,...]   for each dilation a residual unit with norms of fixed statistics a z + b, per channel:
//                                 x = x + conv_K(f(a_2 conv_K(f(a_1 x + b_1)) + b_2)), f = ReLU
//            leaky-unit:K[...]  the same with f(z) = max(z, z / 10)
//            gpn:K[xW][@D,...]  for each dilation a layer of GPN, norms before its sublayers, W_1 of W channels (four
//                               times as many as come in):
//                                 x = x + W act(conv_K(LN(x)));  x = x + W_2 act(W_1 LN(x))
//            convnet:K[@D,...]  for each dilation a layer of the first GPN, norms behind its sublayers:
//                                 x = x + LN(act(conv_K(x)));  x = x + LN(act(W x))
//            skip               s = s + W x, beside x (s = 0 at first); behind the last part x is s
//            pool:F, mean:F     of every F rows the largest or the mean
//            unpool:F           each row F times, plus what went into the pooling that it undoes
//            positions          x = x + P[i], learned; i is the row's place in its sequence at that resolution
//            attention          where attention stands, once; without it before the first unpool, or at the end
//
// Units and skips are those of SpliceAI (Jaganathan et al., 2019). Attention stands at the coarsest resolution. Where
// less is unpooled than was pooled, the hidden states are those of windows of bases, which serve for labels of
// sequences alone.
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
    int level;          // resolution that it makes: 0 single bases, each pooling one more
    int64_t in, width;  // channels that come and go
    int64_t wide;       // channels of W_1, or of W where there is no second; 0: no feed-forward layer
} gw_stem_layer;

typedef struct {
    char text[GW_STEM_TEXT]; // as it was given; "": no stem
    int64_t letters;         // channels of the embedding
    int count;
    gw_stem_layer part[GW_STEM_PARTS];
    int before;                 // parts before attention
    int levels;                 // poolings
    int factor[GW_STEM_LEVELS]; // bases to a row of each level; [0] is 1
} gw_stem;

// Parses the text of a stem for a model of that width, which the stem ends with, and begins with but for `letters`.
gw_status gw_stem_parse(const char *text, int64_t width, gw_stem *out) GW_MUST_CHECK;
// Whether a part is a residual unit, of either activation.
bool gw_stem_is_unit(const gw_stem_layer *part);
// Whether the last part is followed by the sum of skips.
bool gw_stem_has_skips(const gw_stem *stem);
// Whether a part knows where its rows stand.
bool gw_stem_has_positions(const gw_stem *stem);
// The level of the hidden states.
int gw_stem_end_level(const gw_stem *stem);
// Bases that a row of the last level before attention depends on.
int64_t gw_stem_receptive_field(const gw_stem *stem);
// Rows of a level for a sequence of so many tokens; without a stem, of level 0.
int64_t gw_stem_rows(const gw_stem *stem, int level, int64_t tokens);

#endif
