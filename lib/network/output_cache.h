// SPDX-License-Identifier: MIT
// Outputs of the model for token sequences that it has seen lately, so that equal windows run once.
//
// A sequence is found by its hash and then compared in full. The outputs of a sequence do not depend on its company in
// a batch, so a kept one is what computing it again would give. The oldest leave first.
#ifndef GW_NETWORK_OUTPUT_CACHE_H
#define GW_NETWORK_OUTPUT_CACHE_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_output_cache gw_output_cache;

// Tokens with their special ones, and which token is asked about where the outputs are one token's (else 0).
typedef struct {
    const int32_t *tokens;
    int64_t count, asked;
} gw_output_key;

// Keeps `width` floats for sequences of at most `longest` tokens: as many as fit about 64 MiB, at least `least`.
gw_status gw_output_cache_new(int64_t longest, int64_t width, int64_t least, gw_output_cache **out) GW_MUST_CHECK;
void gw_output_cache_free(gw_output_cache *cache);
void gw_output_cache_clear(gw_output_cache *cache);

// The entry of the key, or -1. Another entry may take its number once `least` more have been added.
int64_t gw_output_cache_find(const gw_output_cache *cache, gw_output_key key);
// A new entry for a key that is not there, with its tokens copied and its outputs still to come.
int64_t gw_output_cache_add(gw_output_cache *cache, gw_output_key key);
void gw_output_cache_set(gw_output_cache *cache, int64_t entry, const float *outputs);
// [width]; NULL: still to come.
const float *gw_output_cache_get(const gw_output_cache *cache, int64_t entry);

#endif
