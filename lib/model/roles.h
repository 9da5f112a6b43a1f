// SPDX-License-Identifier: MIT
// The role of a tensor in a network, independent of its name in files. Every role has a weight, a bias, or both.
#ifndef GW_MODEL_ROLES_H
#define GW_MODEL_ROLES_H

#include <stdbool.h>

typedef int gw_role;
enum {
    // the encoder
    GW_ROLE_TOKEN_EMBEDDING, // [vocabulary][width], no bias
    GW_ROLE_POSITION,        // [positions][width], no bias; absent with rotary positions
    GW_ROLE_SEGMENT,         // [segments][width], no bias; absent where there are none
    GW_ROLE_EMBEDDING_NORM,  // absent where the family or the config says so
    GW_ROLE_FREQUENCIES,     // [rotary / 2] of rotary positions, which nothing trains; absent: those by the base
    GW_ROLE_QUERY,           // of a layer, as those below up to its output norm; bias absent where use_bias is false
    GW_ROLE_KEY,
    GW_ROLE_VALUE,
    GW_ROLE_MIXER, // and the few that follow: a mixer's alone, which its file numbers
    GW_ROLE_MIXER_LAST = GW_ROLE_MIXER + 3,
    GW_ROLE_ATTENTION_OUTPUT,
    GW_ROLE_ATTENTION_NORM, // after the attention's sum, or before the attention (pre_norm)
    GW_ROLE_FEED_FORWARD,
    GW_ROLE_GATE, // of a gated feed-forward layer, what its activation is multiplied by
    GW_ROLE_OUTPUT,
    GW_ROLE_OUTPUT_NORM, // after the second sum, or before the feed-forward layer (pre_norm)
    // What rows beside the tokens have of their own where a mixer says so (gw_config_own_layers()), in the order above;
    // the last of a layer is their output norm
    GW_ROLE_BESIDE_ATTENTION_OUTPUT,
    GW_ROLE_BESIDE_ATTENTION_NORM,
    GW_ROLE_BESIDE_FEED_FORWARD,
    GW_ROLE_BESIDE_GATE,
    GW_ROLE_BESIDE_OUTPUT,
    GW_ROLE_BESIDE_OUTPUT_NORM,
    GW_ROLE_BESIDE_EMBEDDING_NORM,
    GW_ROLE_LAST_NORM,        // after the last layer (last_norm)
    GW_ROLE_STEM_CONVOLUTION, // of a part of the stem, as the seven below: [taps][width][in]
    GW_ROLE_STEM_MIX,         // the linear layer behind the convolution of a GPN layer
    GW_ROLE_STEM_NORM,        // before a residual block's convolution, behind that of a convnet layer
    GW_ROLE_STEM_SECOND,      // the second convolution of a residual unit: [taps][width][width]
    GW_ROLE_STEM_OUTPUT_NORM, // before its feed-forward layer, or its second convolution
    GW_ROLE_STEM_FEED_FORWARD,
    GW_ROLE_STEM_OUTPUT, // of a residual block; of a skip
    GW_ROLE_STEM_PLACE,  // [rows of the longest sequence there][width]
    GW_ROLE_CONTACTS,    // [1][layers heads] of ESM's head of contacts, which is kept and nothing here reads
    GW_ROLE_POOLER,      // [width][width]
    // the heads
    GW_ROLE_MASK_TRANSFORM, // of masked tokens; of every head where the family says so (head_transform)
    GW_ROLE_MASK_NORM,
    GW_ROLE_MASK_DECODER,      // bias [vocabulary]; weight [vocabulary][width], or where tied GW_ROLE_TOKEN_EMBEDDING's
    GW_ROLE_PAIR,              // [2][width]
    GW_ROLE_PLACES,            // [rows of the longest sequence][width] of a sequence's rows, pooled by places
    GW_ROLE_FLATTEN,           // [width][rows of the longest sequence * width], no bias: over all of a sequence's rows
    GW_ROLE_POOL_QUERY,        // [1][width], no bias: of attention pooling
    GW_ROLE_HEAD_DENSE,        // [width][width] before the logits of BigBird's and RoBERTa's sequence head
    GW_ROLE_SPAN_FEED_FORWARD, // BigBird's question head: a feed-forward block of its own before the logits
    GW_ROLE_SPAN_OUTPUT,
    GW_ROLE_SPAN_NORM,
    GW_ROLE_DECODER_POSITION, // of a decoder: [positions][width], no bias
    GW_ROLE_OWN_QUERY,        // of a decoder's layer, as the twelve below: attention to the target itself
    GW_ROLE_OWN_KEY,
    GW_ROLE_OWN_VALUE,
    GW_ROLE_OWN_OUTPUT,
    GW_ROLE_OWN_NORM,
    GW_ROLE_CROSS_QUERY, // attention to what the encoder makes of the source
    GW_ROLE_CROSS_KEY,
    GW_ROLE_CROSS_VALUE,
    GW_ROLE_CROSS_OUTPUT,
    GW_ROLE_CROSS_NORM,
    GW_ROLE_DECODER_FEED_FORWARD,
    GW_ROLE_DECODER_OUTPUT,
    GW_ROLE_DECODER_OUTPUT_NORM,
    GW_ROLE_DECODER_LAST_NORM,
    GW_ROLE_TARGET_LOGITS, // bias [1][vocabulary] alone, which nothing trains: the weight is GW_ROLE_TOKEN_EMBEDDING's
    GW_ROLE_LOGITS,        // of the sequence, token, question and choice heads: [labels, or 2, or 1][width]
    GW_ROLE_OWN,           // and what follows: a head's alone, which its file numbers
};

static inline bool gw_role_is_of_mixer(gw_role role) {
    return role >= GW_ROLE_MIXER && role <= GW_ROLE_MIXER_LAST;
}

// Those that every layer, every layer of a decoder, or parts of a stem have.
static inline bool gw_role_is_of_layer(gw_role role) {
    return role >= GW_ROLE_QUERY && role <= GW_ROLE_BESIDE_OUTPUT_NORM;
}

// What the tokens' tensor in its place is, which stands for both kinds of rows where there is no other; else the role.
static inline gw_role gw_role_of_tokens(gw_role role) {
    if (role == GW_ROLE_BESIDE_EMBEDDING_NORM) return GW_ROLE_EMBEDDING_NORM;
    if (role < GW_ROLE_BESIDE_ATTENTION_OUTPUT || role > GW_ROLE_BESIDE_OUTPUT_NORM) return role;
    return role - GW_ROLE_BESIDE_ATTENTION_OUTPUT + GW_ROLE_ATTENTION_OUTPUT;
}

static inline bool gw_role_is_of_decoder_layer(gw_role role) {
    return role >= GW_ROLE_OWN_QUERY && role <= GW_ROLE_DECODER_OUTPUT_NORM;
}

static inline bool gw_role_is_of_stem(gw_role role) {
    return role >= GW_ROLE_STEM_CONVOLUTION && role <= GW_ROLE_STEM_PLACE;
}

#endif
