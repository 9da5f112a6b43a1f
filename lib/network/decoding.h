// SPDX-License-Identifier: MIT
// Writing texts with a decoder: the encoder runs once over the sources, and each step then adds a token to every target
// that goes on. What earlier tokens gave as keys and values is kept between steps (nn/key_cache.h).
//
// Which tokens are taken is the caller's to say (language/beam_search.h): a step gives the logits of the next ones.
#ifndef GW_NETWORK_DECODING_H
#define GW_NETWORK_DECODING_H

#include "base/batch.h"
#include "model/model.h"

typedef struct {
    int64_t sources, source_tokens; // most at a time, and tokens of them all
    int64_t targets;                // most at a time, of all sources
    int64_t length;                 // most tokens of a target, decoder_start_token_id among them
} gw_decoding_options;

// A target's next token. What it goes on with is a row of the step before, which any number of rows may share; -1 in
// the first step. Rows of one source stand together, in the order of the sources.
typedef struct {
    int32_t source, parent, token;
} gw_decoding_row;

typedef struct gw_decoding gw_decoding;
// The model outlives it and has a decoder; gw_decoding_free() it.
gw_status gw_decoding_new(gw_model *model, const gw_decoding_options *options, gw_decoding **out) GW_MUST_CHECK;
void gw_decoding_free(gw_decoding *decoding);
int64_t gw_decoding_bytes(const gw_decoding *decoding);       // memory of all but the weights
int64_t gw_decoding_cache_bytes(const gw_decoding *decoding); // of that, keys and values that outlive a step
// Runs the encoder on the sources, the tokens of the batch (network/network.h), which need not outlive the call.
// Targets of earlier sources are forgotten.
gw_status gw_decoding_begin(gw_decoding *decoding, const gw_batch *batch) GW_MUST_CHECK;
// *logits are [count][vocabulary] of the tokens that follow, valid up to the next call.
gw_status gw_decoding_step(gw_decoding *decoding, const gw_decoding_row *rows, int64_t count,
                           const float **logits) GW_MUST_CHECK;

#endif
