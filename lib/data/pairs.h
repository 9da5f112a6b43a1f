// SPDX-License-Identifier: MIT
// Sentence pairs for next-sentence prediction.
//
// A chunk is cut in two at a random sentence border, or at a random token where it lies within one sentence. A is the
// left part. In half of the examples B is the right part, its true continuation; in the other half B is a run of as
// many tokens from another document, which begins at a sentence (or inside one, as the true B would) and was not read
// at places that overlap A's on either strand. So true and random B have the same lengths and the same kinds of
// beginning.
#ifndef GW_DATA_PAIRS_H
#define GW_DATA_PAIRS_H

#include "base/random.h"
#include "base/status.h"
#include "data/pack.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    gw_span a, b;
    int32_t label; // 0: B follows A; 1: B is from elsewhere
} gw_pair;

// Draws pairs; holds scratch memory, so one a thread.
typedef struct gw_pair_maker gw_pair_maker;
// Borrows both. The chunks of the pack have at least two tokens.
gw_status gw_pair_maker_new(const gw_pack *pack, const gw_tokenizer *tokenizer, uint64_t seed,
                            gw_pair_maker **out) GW_MUST_CHECK;
void gw_pair_maker_free(gw_pair_maker *maker);

// The pair of a chunk; a function of (seed, site, ordinal, chunk) alone. Where no random B is found in many draws (a
// genome hardly longer than a chunk), B is the true continuation and the label says so.
gw_status gw_pair_draw(gw_pair_maker *maker, gw_random_site site, int64_t ordinal, int64_t chunk,
                       gw_pair *out) GW_MUST_CHECK;

// Whether the two spans were read at overlapping places, on the same or on opposite strands. The text next to A and B
// counts too, so that an overlap of a single base is seen wherever a document goes on beside it.
gw_status gw_spans_overlap(gw_pair_maker *maker, gw_span a, gw_span b, bool *overlap) GW_MUST_CHECK;

#endif
