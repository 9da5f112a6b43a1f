// SPDX-License-Identifier: MIT
// Outputs of the model for token sequences that it has seen lately, so that equal windows run once.
//
// A sequence is found by its hash and then compared in full. The outputs of a sequence do not depend on its company in
// a batch, so a kept one is what computing it again would give. The oldest leave first.
#ifndef GW_NETWORK_FORWARD_H
#define GW_NETWORK_FORWARD_H

#include "base/status.h"
#include "network/network.h"

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

// The loop that runs a network over sequences: whoever has them fills a batch; where the next one does not fit, the
// batch is run, what came out is given back, and it is filled anew.
//
// Outputs are read in one of two ways. `ran` sees each batch that has run, with its rows still there. Or single outputs
// are asked for: then sequences that were seen lately are not run again (network/forward.h), and `answer` gets
// what each question asked for, once, in any order.

enum {
    GW_FORWARD_TOKENS = 8192,  // of a batch, where nobody says how many
    GW_FORWARD_SEQUENCES = 512 // of a batch, and asked rows, at most
};

// Tokens of a batch that holds sequences of `longest`; asked 0: the usual number.
static inline int64_t gw_forward_tokens(int64_t asked, int64_t longest) {
    const int64_t tokens = asked > 0 ? asked : GW_FORWARD_TOKENS;
    return tokens > longest ? tokens : longest;
}

typedef gw_status gw_forward_ran(void *context, const gw_losses *losses); // losses: NULL unless they are wanted

typedef struct {
    gw_network *network;  // its own; of members the one that ran last
    gw_network **members; // [member_count], or NULL
    int member_count;
    gw_batch *batch;     // borrowed: the caller fills it
    gw_forward_ran *ran; // NULL: nothing but answers
    bool losses;
    gw_forward_answer *answer; // with a cache
    void *context;
    struct gw_partial *partial; // of masked tokens, or NULL
    // Of answers
    gw_output_cache *cache;
    int asked_rows;      // row set that outputs are read of
    int64_t width;       // of its outputs
    int64_t *entry;      // [asked rows of the batch] of the cache
    int64_t entry_count; // so many of them are there
    struct gw_waiting *waiting;
    int64_t waiting_count, waiting_capacity;
} gw_forward;

// A network of the model with these options, run over the batch. Free it, also on failure.
gw_status gw_forward_make(gw_forward *forward, gw_model *model, const gw_network_options *options, gw_batch *batch,
                          void *context) GW_MUST_CHECK;
// The same of a model of members (model/model.h): each of them runs every batch, and `ran` is called for each.
gw_status gw_forward_members(gw_forward *forward, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             void *context) GW_MUST_CHECK;
// A network of the model with answers about a row set: the first tokens (one of each sequence), or masked ones.
gw_status gw_forward_answers(gw_forward *forward, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             int rows, gw_forward_answer *answer, void *context) GW_MUST_CHECK;
// Of answers about masked tokens: from the rows alone that lead to them, where that is worth it (network/partial.h).
gw_status gw_forward_need(gw_forward *forward, gw_model *model, int64_t memory) GW_MUST_CHECK;
void gw_forward_free(gw_forward *forward);
// Forgets the batch and who waits for it, and what the cache has: after a failure, and where weights have changed.
void gw_forward_reset(gw_forward *forward);

// Runs what the batch holds, where it holds anything, gives it back and empties the batch.
gw_status gw_forward_run(gw_forward *forward) GW_MUST_CHECK;
// Runs it unless a sequence of `count` tokens, and so many asked rows, fit behind what is there.
gw_status gw_forward_reserve(gw_forward *forward, int64_t count, int64_t rows) GW_MUST_CHECK;

// Questions about a sequence of `count` tokens with special ones, which stands at the end of the batch's tokens and is
// not counted there yet: gw_forward_end() takes it into the batch where there is anything to be computed. Of masked
// tokens `at` is the one that is asked about, ascending; of first tokens 0.
gw_status gw_forward_ask(gw_forward *forward, int64_t count, int64_t at, int64_t id) GW_MUST_CHECK;
void gw_forward_end(gw_forward *forward, int64_t count);

// Outputs that are no finite numbers are an error, the same wherever they are read.
gw_status gw_output_not_finite(void);
gw_status gw_check_outputs(const float *values, int64_t count) GW_MUST_CHECK;

#endif
