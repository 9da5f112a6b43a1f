// SPDX-License-Identifier: MIT
// Documents of token shards, cut into chunks that fill a sequence.
//
// A document of n tokens becomes ceil(n / chunk_tokens) chunks of nearly equal size, end to end: every token is in
// exactly one chunk, and no short rest is left. A sentence may go on in the next chunk, as BERT truncates its
// sentences.
#ifndef GW_DATA_PACK_H
#define GW_DATA_PACK_H

#include "base/status.h"
#include "data/shards.h"

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
// are joined to one (BigBird, appendix E.1). gw_pack_document_tokens() and gw_pack_borders() see the first of them.
gw_status gw_pack_joined(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least, int32_t separator,
                         gw_pack **out) GW_MUST_CHECK;
// As gw_pack_new(), but documents of fewer sentences are left out too.
gw_status gw_pack_of_sentences(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least,
                               int64_t sentences, gw_pack **out) GW_MUST_CHECK;
void gw_pack_free(gw_pack *pack);

int64_t gw_pack_chunks(const gw_pack *pack);
double gw_pack_mean_chunk(const gw_pack *pack); // tokens
gw_span gw_pack_chunk(const gw_pack *pack, int64_t chunk);

int64_t gw_pack_document_tokens(const gw_pack *pack, gw_span span); // tokens of the span's document

// Copies the span's tokens.
void gw_pack_read(const gw_pack *pack, gw_span span, int32_t *tokens);
// Number of sentence borders inside the span, each with tokens of the span on both sides; where `which` is one of them,
// *offset is its distance from the span's begin.
int64_t gw_pack_borders(const gw_pack *pack, gw_span span, int64_t which, int64_t *offset);
// Sentences that the span has tokens of, but at most `most`, as neighbours are joined evenly where there are more: how
// many, and where begin is not NULL their begins, counted from the span's. The first is 0.
int64_t gw_pack_sentences(const gw_pack *pack, gw_span span, int64_t most, int32_t *begin);

#endif
