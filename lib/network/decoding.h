// SPDX-License-Identifier: MIT
// Writing texts with a decoder. The encoder runs once over the sources. Each step then adds one token to every
// unfinished target. Keys and values of earlier tokens are kept between steps (nn/key_cache.h).
//
// The caller chooses the tokens (language/beam_search.h). A step returns the logits of the next tokens.
#ifndef GW_NETWORK_DECODING_H
#define GW_NETWORK_DECODING_H

#include "base/batch.h"
#include "model/model.h"

typedef struct {
    int64_t sources, source_tokens; // most sources at a time, and most tokens of all sources together
    int64_t targets;                // most targets at a time, for all sources together
    int64_t length;                 // most tokens of a target, decoder_start_token_id included
} gw_decoding_options;

// The next token of a target. `parent` is the row of the previous step that this target continues; several rows may
// continue the same row. parent is -1 in the first step. Rows are sorted by source.
typedef struct {
    int32_t source, parent, token;
} gw_decoding_row;

typedef struct gw_decoding gw_decoding;
// The model must have a decoder and outlive the decoding. Free the decoding with gw_decoding_free().
gw_status gw_decoding_new(gw_model *model, const gw_decoding_options *options, gw_decoding **out) GW_MUST_CHECK;
void gw_decoding_free(gw_decoding *decoding);
int64_t gw_decoding_bytes(const gw_decoding *decoding);       // memory, without the weights
int64_t gw_decoding_cache_bytes(const gw_decoding *decoding); // the part of this memory for keys and values that are
                                                              // kept between steps
// Runs the encoder on the sources: the tokens of the batch (network/network.h), which need not outlive the call. Drops
// the targets of earlier sources.
gw_status gw_decoding_begin(gw_decoding *decoding, const gw_batch *batch) GW_MUST_CHECK;
// *logits [count][vocabulary]: logits of the next tokens, valid until the next call.
gw_status gw_decoding_step(gw_decoding *decoding, const gw_decoding_row *rows, int64_t count,
                           const float **logits) GW_MUST_CHECK;

#endif
