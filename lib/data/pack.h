// SPDX-License-Identifier: MIT
// Documents of token shards, cut into chunks that fill a sequence.
//
// A document of n tokens becomes ceil(n / chunk_tokens) chunks of nearly equal size, end to end: every token is in
// exactly one chunk, and no short rest is left. A sentence may go on in the next chunk, as BERT truncates its
// sentences.
#ifndef GW_DATA_PACK_H
#define GW_DATA_PACK_H

#include "base/random.h"
#include "base/status.h"
#include "data/shards.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

// Tokens [begin, begin + count) of a document of a shard.
typedef struct {
    int shard;
    int64_t document;
    int64_t begin, count;
} gw_span;

typedef struct gw_pack gw_pack;

// Borrows the shards. `chunk_tokens`: most tokens of a chunk, special tokens not counted. Documents of fewer than
// `least` tokens are left out.
gw_status gw_pack_new(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least,
                      gw_pack **out) GW_MUST_CHECK;
// The same, but documents that follow one another in a shard and fit a chunk together, with a separator between two,
// are joined to one (BigBird, appendix E.1). gw_pack_borders() sees the first of them.
gw_status gw_pack_joined(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least, int32_t separator,
                         gw_pack **out) GW_MUST_CHECK;
// Like gw_pack_new(), but documents of fewer sentences are left out too.
gw_status gw_pack_of_sentences(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least,
                               int64_t sentences, gw_pack **out) GW_MUST_CHECK;
void gw_pack_free(gw_pack *pack);

int64_t gw_pack_chunks(const gw_pack *pack);
double gw_pack_mean_chunk(const gw_pack *pack); // tokens
gw_span gw_pack_chunk(const gw_pack *pack, int64_t chunk);

// Copies the span's tokens.
void gw_pack_read(const gw_pack *pack, gw_span span, int32_t *tokens);
// Number of sentence borders inside the span, each with tokens of the span on both sides; where `which` is one of them,
// *offset is its distance from the span's begin.
int64_t gw_pack_borders(const gw_pack *pack, gw_span span, int64_t which, int64_t *offset);
// Sentences that the span has tokens of, but at most `most`, as neighbours are joined evenly where there are more: how
// many, and where begin is not NULL their begins, counted from the span's. The first is 0.
int64_t gw_pack_sentences(const gw_pack *pack, gw_span span, int64_t most, int32_t *begin);

// Whether two pieces of text were read at overlapping places of one genome.
//
// Shards hold no positions, and the repeats of a corpus cover the same contigs again and again, so the text itself has
// to tell. If two pieces overlap, then the overlap begins where one of them begins and ends where one of them ends, and
// within it they agree in every base. That is what is looked for, on both strands. It needs no parameter but the
// shortest overlap that counts, repeats inside the pieces do not disturb it, and unrelated text passes it by chance
// with a probability of about 5 / 4^shortest.

enum { GW_SHORTEST_OVERLAP = 8 }; // bases; a piece that is shorter counts where it lies wholly inside the other

// One strand: true where some shift makes a and b overlap in at least min(GW_SHORTEST_OVERLAP, a_length, b_length)
// bases and agree in all of them.
bool gw_texts_overlap(const char *a, int64_t a_length, const char *b, int64_t b_length);

// Sentence pairs for next-sentence prediction.
//
// A chunk is cut in two at a random sentence border, or at a random token where it lies within one sentence. A is the
// left part. In half of the examples B is the right part, its true continuation; in the other half B is a run of as
// many tokens from another document, which begins at a sentence (or inside one, as the true B would) and was not read
// at places that overlap A's on either strand. So true and random B have the same lengths and the same kinds of
// beginning.

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
