// SPDX-License-Identifier: MIT
// Documents of token shards, cut into chunks that fill a sequence.
//
// A document of n tokens becomes ceil(n / chunk_tokens) chunks of nearly equal size, end to end. Every token is in
// exactly one chunk, and there is no short last chunk. A sentence may continue in the next chunk, just as BERT
// truncates sentences.
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

// Borrows the shards. `chunk_tokens`: most tokens of a chunk, without special tokens. Documents with fewer than `least`
// tokens are skipped.
gw_status gw_pack_new(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least,
                      gw_pack **out) GW_MUST_CHECK;
// The same, but consecutive documents of a shard that fit into one chunk are joined, with a separator between two
// (BigBird, appendix E.1). gw_pack_borders() reads only the first of them.
gw_status gw_pack_joined(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least, int32_t separator,
                         gw_pack **out) GW_MUST_CHECK;
// Like gw_pack_new(), but documents with fewer sentences are skipped too.
gw_status gw_pack_of_sentences(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least,
                               int64_t sentences, gw_pack **out) GW_MUST_CHECK;
void gw_pack_free(gw_pack *pack);

int64_t gw_pack_chunks(const gw_pack *pack);
double gw_pack_mean_chunk(const gw_pack *pack); // tokens
gw_span gw_pack_chunk(const gw_pack *pack, int64_t chunk);

// Copies the span's tokens.
void gw_pack_read(const gw_pack *pack, gw_span span, int32_t *tokens);
// The number of sentence borders inside the span, with tokens of the span on both sides. If `which` is the index of a
// border, *offset is its distance from the span's begin.
int64_t gw_pack_borders(const gw_pack *pack, gw_span span, int64_t which, int64_t *offset);
// The number of sentences with tokens in the span, at most `most`; with more sentences, neighbours are joined evenly.
// begin, if not NULL, gets their begins relative to the span; the first is 0.
int64_t gw_pack_sentences(const gw_pack *pack, gw_span span, int64_t most, int32_t *begin);

// Whether two pieces of text come from overlapping positions of one genome.
//
// Shards hold no positions, and the repeats of a corpus cover the same contigs many times, so the text itself is
// compared. If two pieces overlap, the overlap begins at the begin of one piece and ends at the end of one piece, and
// both agree in every base of it. Both strands are tested. The only parameter is the shortest overlap. Repeats inside
// the pieces do not matter. Unrelated texts match by chance with a probability of about 5 / 4^shortest.

enum { GW_SHORTEST_OVERLAP = 8 }; // bases; a shorter piece matches if it lies wholly in the other

// One strand: true if at some shift a and b overlap in at least min(GW_SHORTEST_OVERLAP, a_length, b_length) bases and
// agree in all of them.
bool gw_texts_overlap(const char *a, int64_t a_length, const char *b, int64_t b_length);

// Sentence pairs for next-sentence prediction.
//
// A chunk is cut in two at a random sentence border, or, inside one sentence, at a random token. A is the left part. In
// half of the examples B is the right part, its true continuation. In the other half B has as many tokens from another
// document. It begins at a sentence (or inside one, like the true B), and its position overlaps A's on neither strand.
// True and random B therefore have the same lengths and the same kinds of beginning.

typedef struct {
    gw_span a, b;
    int32_t label; // 0: B follows A; 1: B is from elsewhere
} gw_pair;

// Draws pairs. Each thread needs its own, because it holds scratch memory.
typedef struct gw_pair_maker gw_pair_maker;
// Borrows both. The chunks of the pack must have at least two tokens.
gw_status gw_pair_maker_new(const gw_pack *pack, const gw_tokenizer *tokenizer, uint64_t seed,
                            gw_pair_maker **out) GW_MUST_CHECK;
void gw_pair_maker_free(gw_pair_maker *maker);

// The pair of a chunk, a function of (seed, site, ordinal, chunk). If many draws find no random B (in a genome hardly
// longer than a chunk), B is the true continuation, and the label says so.
gw_status gw_pair_draw(gw_pair_maker *maker, gw_random_site site, int64_t ordinal, int64_t chunk,
                       gw_pair *out) GW_MUST_CHECK;

// Whether two spans come from overlapping positions, on the same or on opposite strands. The text next to A and B is
// compared too, so that an overlap of a single base is found if a document continues there.
gw_status gw_spans_overlap(gw_pair_maker *maker, gw_span a, gw_span b, bool *overlap) GW_MUST_CHECK;

#endif
