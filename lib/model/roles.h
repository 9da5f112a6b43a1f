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
    GW_ROLE_SEGMENT,         // [segments][width], no bias; absent without segments
    GW_ROLE_EMBEDDING_NORM,  // absent in some families and configs
    GW_ROLE_FREQUENCIES,     // [rotary / 2] of rotary positions, not trained; absent: computed from the base
    GW_ROLE_QUERY,           // of a layer, like all roles down to the output norm; no bias if use_bias is false
    GW_ROLE_KEY,
    GW_ROLE_VALUE,
    GW_ROLE_MIXER, // this and the next three: tensors of one mixer, numbered by its source
    GW_ROLE_MIXER_LAST = GW_ROLE_MIXER + 3,
    GW_ROLE_ATTENTION_OUTPUT,
    GW_ROLE_ATTENTION_NORM, // after the attention's sum, or before the attention (pre_norm)
    GW_ROLE_FEED_FORWARD,
    GW_ROLE_GATE, // of a gated feed-forward layer: the factor of its activation
    GW_ROLE_OUTPUT,
    GW_ROLE_OUTPUT_NORM, // after the second sum, or before the feed-forward layer (pre_norm)
    // Separate tensors of rows beside the tokens, if the mixer has them (gw_config_own_layers()), in the order above;
    // the last role of a layer is their output norm
    GW_ROLE_BESIDE_ATTENTION_OUTPUT,
    GW_ROLE_BESIDE_ATTENTION_NORM,
    GW_ROLE_BESIDE_FEED_FORWARD,
    GW_ROLE_BESIDE_GATE,
    GW_ROLE_BESIDE_OUTPUT,
    GW_ROLE_BESIDE_OUTPUT_NORM,
    GW_ROLE_BESIDE_EMBEDDING_NORM,
    GW_ROLE_LAST_NORM,        // after the last layer (last_norm)
    GW_ROLE_STEM_CONVOLUTION, // of a stem part, like the seven below: [taps][width][in]
    GW_ROLE_STEM_MIX,         // the linear layer behind the convolution of a GPN layer
    GW_ROLE_STEM_NORM,        // before a residual block's convolution; behind a convnet layer's convolution
    GW_ROLE_STEM_SECOND,      // the second convolution of a residual unit: [taps][width][width]
    GW_ROLE_STEM_OUTPUT_NORM, // before the feed-forward layer, or before the second convolution
    GW_ROLE_STEM_FEED_FORWARD,
    GW_ROLE_STEM_OUTPUT, // of a residual block, or of a skip
    GW_ROLE_STEM_PLACE,  // [rows of the longest sequence at this resolution][width]
    GW_ROLE_CONTACTS,    // [1][layers heads] of ESM's head of contacts; kept, but not read
    GW_ROLE_POOLER,      // [width][width]
    // the heads
    GW_ROLE_MASK_TRANSFORM, // of masked tokens; of every head in some families (head_transform)
    GW_ROLE_MASK_NORM,
    GW_ROLE_MASK_DECODER,      // bias [vocabulary]; weight [vocabulary][width]; if tied, the weight is
                               // GW_ROLE_TOKEN_EMBEDDING's
    GW_ROLE_PAIR,              // [2][width]
    GW_ROLE_PLACES,            // [rows of the longest sequence][width], for pooling by position
    GW_ROLE_FLATTEN,           // [width][rows of the longest sequence * width], no bias: over all rows of a sequence
    GW_ROLE_POOL_QUERY,        // [1][width], no bias: for attention pooling
    GW_ROLE_HEAD_DENSE,        // [width][width] before the logits of BigBird's and RoBERTa's sequence head
    GW_ROLE_SPAN_FEED_FORWARD, // BigBird's question head: a separate feed-forward block before the logits
    GW_ROLE_SPAN_OUTPUT,
    GW_ROLE_SPAN_NORM,
    GW_ROLE_DECODER_POSITION, // of a decoder: [positions][width], no bias
    GW_ROLE_OWN_QUERY,        // of a decoder layer, like the twelve below: attention to the target itself
    GW_ROLE_OWN_KEY,
    GW_ROLE_OWN_VALUE,
    GW_ROLE_OWN_OUTPUT,
    GW_ROLE_OWN_NORM,
    GW_ROLE_CROSS_QUERY, // attention to the encoder's output
    GW_ROLE_CROSS_KEY,
    GW_ROLE_CROSS_VALUE,
    GW_ROLE_CROSS_OUTPUT,
    GW_ROLE_CROSS_NORM,
    GW_ROLE_DECODER_FEED_FORWARD,
    GW_ROLE_DECODER_OUTPUT,
    GW_ROLE_DECODER_OUTPUT_NORM,
    GW_ROLE_DECODER_LAST_NORM,
    GW_ROLE_TARGET_LOGITS, // bias [1][vocabulary], not trained; the weight is GW_ROLE_TOKEN_EMBEDDING's
    GW_ROLE_LOGITS,        // of the sequence, token, question and choice heads: [labels, or 2, or 1][width]
    GW_ROLE_OWN,           // this and later numbers: tensors of one head, numbered by its source
};

static inline bool gw_role_is_of_mixer(gw_role role) {
    return role >= GW_ROLE_MIXER && role <= GW_ROLE_MIXER_LAST;
}

// Roles that every layer, every decoder layer, or stem parts have:
static inline bool gw_role_is_of_layer(gw_role role) {
    return role >= GW_ROLE_QUERY && role <= GW_ROLE_BESIDE_OUTPUT_NORM;
}

// The tokens' role for a role of rows beside the tokens; both kinds of rows use it if there is no separate tensor.
// Other roles are returned unchanged.
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
