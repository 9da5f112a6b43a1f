// SPDX-License-Identifier: MIT
// A cache of a model's outputs, so that equal windows run once.
//
// A sequence is found by its hash and then compared in full. The outputs of a sequence do not depend on the other
// sequences of its batch, so a kept output equals a new one. The oldest entries are removed first.
#ifndef GW_NETWORK_FORWARD_H
#define GW_NETWORK_FORWARD_H

#include "base/status.h"
#include "network/network.h"

#include <stdint.h>

typedef struct gw_output_cache gw_output_cache;

// Tokens, special tokens included. `asked`: the token whose output is kept, if outputs belong to one token; otherwise
// 0.
typedef struct {
    const int32_t *tokens;
    int64_t count, asked;
} gw_output_key;

// Keeps `bytes` for each sequence of at most `longest` tokens. Holds as many sequences as fit into about 64 MiB, at
// least `least`.
gw_status gw_output_cache_new(int64_t longest, int64_t bytes, int64_t least, gw_output_cache **out) GW_MUST_CHECK;
void gw_output_cache_free(gw_output_cache *cache);
void gw_output_cache_clear(gw_output_cache *cache);

// The entry of the key, or -1. The number may be reused after `least` more entries were added.
int64_t gw_output_cache_find(const gw_output_cache *cache, gw_output_key key);
// Adds an entry for a new key, also where there is an older one. Copies the tokens. The caller writes the outputs to
// the entry's memory, and completes it.
int64_t gw_output_cache_add(gw_output_cache *cache, gw_output_key key);
void *gw_output_cache_memory(const gw_output_cache *cache, int64_t entry); // [bytes]; aligned to 8 if `bytes` is
void gw_output_cache_complete(gw_output_cache *cache, int64_t entry);
// The memory; NULL: the entry is not complete yet.
const void *gw_output_cache_get(const gw_output_cache *cache, int64_t entry);

// The loop that runs a network over sequences. The caller fills a batch. If the next sequence does not fit, the batch
// runs, the outputs are returned, and the batch is filled anew.
//
// Outputs are returned in one of three ways. `ran` is called after each batch, while the batch still has its rows. Or
// the caller asks for single outputs: `answer` then gets the output of each question once, in any order, and sequences
// in the cache do not run again. Or it asks for the probabilities of tokens: `answer_token` gets their logarithms. A
// device computes them itself, and its logits are not copied.

enum {
    GW_FORWARD_TOKENS = 8192,  // tokens of a batch by default
    GW_FORWARD_SEQUENCES = 512 // most sequences, and most asked rows, of a batch
};

// Tokens of a batch for sequences of up to `longest` tokens. asked 0: the default.
static inline int64_t gw_forward_tokens(int64_t asked, int64_t longest) {
    const int64_t tokens = asked > 0 ? asked : GW_FORWARD_TOKENS;
    return tokens > longest ? tokens : longest;
}

// Questions of a batch.
typedef struct {
    int64_t *entry;      // [asked rows of the batch] entries of the cache that the batch computes
    int64_t entry_count; // number of these
    struct gw_waiting *waiting;
    int64_t waiting_count, waiting_capacity;
} gw_forward_questions;

// log_p: ln of the probability of the token that was asked for.
typedef gw_status gw_forward_token_answer(void *context, int64_t id, double log_p);
typedef gw_status gw_forward_ran(void *context, const gw_losses *losses); // losses: NULL unless they were requested

typedef struct {
    gw_network *network;  // owned; with members, the member that ran last
    gw_network **members; // [member_count], or NULL
    int member_count;
    gw_batch *batch;     // borrowed: the caller fills it
    gw_forward_ran *ran; // NULL: only answers are returned
    bool losses;
    gw_forward_answer *answer;             // called for each question, with a cache
    gw_forward_token_answer *answer_token; // in its place, for questions about tokens
    void *context;
    struct gw_partial *partial; // runs masked tokens in part, or NULL
    // For answers:
    gw_output_cache *cache;
    int asked_rows;               // row set of the outputs
    int64_t width;                // floats of an output
    gw_forward_questions open;    // of the batch that is filled
    gw_forward_questions running; // of the batch that a device with its own memory computes meanwhile
    bool overlaps;                // the device has its own memory
    bool is_running;              // there is a batch that it computes
    int32_t *token;               // [asked rows] for questions about tokens: one of each row, and
    double *log_p;                // what was found
} gw_forward;

// Makes a network of the model with these options, to run over the batch. Free `forward`, also after a failure.
gw_status gw_forward_make(gw_forward *forward, gw_model *model, const gw_network_options *options, gw_batch *batch,
                          void *context) GW_MUST_CHECK;
// The same for a model with members (model/model.h): each member runs every batch, and `ran` is called for each member.
gw_status gw_forward_members(gw_forward *forward, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             void *context) GW_MUST_CHECK;
// The same with answers for a row set: the first tokens (one of each sequence), or masked tokens.
gw_status gw_forward_answers(gw_forward *forward, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             int rows, gw_forward_answer *answer, void *context) GW_MUST_CHECK;
// The same with the probabilities of masked tokens as answers.
gw_status gw_forward_likelihoods(gw_forward *forward, gw_model *model, const gw_network_options *options,
                                 gw_batch *batch, gw_forward_token_answer *answer, void *context) GW_MUST_CHECK;
// Lets answers for masked tokens compute only the rows that they depend on, if this is faster (network/partial.h).
// memory: bytes.
gw_status gw_forward_need(gw_forward *forward, gw_model *model, int64_t memory) GW_MUST_CHECK;
void gw_forward_free(gw_forward *forward);
// Drops the batch, the open questions and the cache. Needed after a failure, and after weights have changed.
void gw_forward_reset(gw_forward *forward);

// Runs the batch unless it is empty, returns the outputs, and empties the batch.
gw_status gw_forward_run(gw_forward *forward) GW_MUST_CHECK;
// Runs the batch, or begins to run it, unless a further sequence of `count` tokens and `rows` asked rows fit into it.
gw_status gw_forward_reserve(gw_forward *forward, int64_t count, int64_t rows) GW_MUST_CHECK;

// Asks for an output of a sequence of `count` tokens, special tokens included. The caller has written the tokens behind
// those of the batch, without counting them; gw_forward_end() adds them to the batch if something must be computed. at:
// the masked token that is asked for, in ascending order; 0 for first tokens. `id` is passed to `answer`.
gw_status gw_forward_ask(gw_forward *forward, int64_t count, int64_t at, int64_t id) GW_MUST_CHECK;
// Asks for the probability of a token at the masked token `at`; the rest is the same.
gw_status gw_forward_ask_token(gw_forward *forward, int64_t count, int64_t at, int32_t token, int64_t id) GW_MUST_CHECK;
void gw_forward_end(gw_forward *forward, int64_t count);

// Outputs that are not finite are an error with the same message everywhere.
gw_status gw_output_not_finite(void);
gw_status gw_check_outputs(const float *values, int64_t count) GW_MUST_CHECK;

#endif
