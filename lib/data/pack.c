// SPDX-License-Identifier: MIT
// Chunk i of a document of n tokens and c chunks is [n i / c, n (i + 1) / c). Joined documents are one document with a
// later `end`.
#include "data/pack.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "seq/genome/genome.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int shard;
    int64_t document, end; // of the shard: [document, end), more than one where they are joined
    int64_t tokens;
    int64_t first_chunk;
} packed_document;

struct gw_pack {
    gw_shards **shards;
    packed_document *documents; // [count + 1]; the last one only closes the list of chunks
    int64_t count, capacity;
    int64_t tokens, chunks;
    int64_t chunk_tokens; // most, special tokens not counted
    int32_t separator;    // between joined documents; -1: none are joined
    int64_t least_sentences;
};

static int64_t document_tokens(const gw_shards *shards, int64_t document) {
    int64_t begin, end, tokens = 0;
    gw_shards_document(shards, document, &begin, &end);
    for (int64_t s = begin; s < end; s++) tokens += gw_shards_sentence_length(shards, s);
    return tokens;
}

// Whether document d of the shard, of so many tokens, was joined to the last one.
static bool join(gw_pack *pack, int shard, int64_t d, int64_t tokens) {
    if (pack->separator < 0 || pack->count == 0) return false;
    packed_document *last = &pack->documents[pack->count - 1];
    if (last->shard != shard || last->end != d || last->tokens + 1 + tokens > pack->chunk_tokens) return false;
    last->end++;
    last->tokens += 1 + tokens;
    pack->tokens += 1 + tokens;
    return true;
}

static gw_status add_shard(gw_pack *pack, int shard, int64_t least) {
    const gw_shards *shards = pack->shards[shard];
    const int64_t documents = gw_shards_documents(shards);
    GW_TRY(gw_reserve(&pack->documents, &pack->capacity, pack->count + documents + 1, sizeof *pack->documents));
    for (int64_t d = 0; d < documents; d++) {
        const int64_t tokens = document_tokens(shards, d);
        int64_t begin, end;
        gw_shards_document(shards, d, &begin, &end);
        if (tokens < least || end - begin < pack->least_sentences || join(pack, shard, d, tokens)) continue;
        pack->documents[pack->count++] = (packed_document){shard, d, d + 1, tokens, pack->chunks};
        pack->chunks += (tokens + pack->chunk_tokens - 1) / pack->chunk_tokens;
        pack->tokens += tokens;
    }
    pack->documents[pack->count] = (packed_document){.first_chunk = pack->chunks};
    return GW_OK;
}

static gw_status make(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least, int32_t separator,
                      int64_t sentences, gw_pack **out) {
    assert(chunk_tokens >= least && least >= 1);
    *out = NULL;
    gw_pack *pack = gw_alloc(1, sizeof *pack);
    if (!pack) return GW_ERR_MEMORY;
    pack->chunk_tokens = chunk_tokens;
    pack->separator = separator;
    pack->least_sentences = sentences;
    pack->shards = gw_alloc(count, sizeof *pack->shards);
    gw_status status = pack->shards ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < count; i++) {
        pack->shards[i] = shards[i];
        status = add_shard(pack, i, least);
    }
    if (status == GW_OK && pack->chunks == 0)
        status = sentences > 0 ? gw_fail(GW_ERR_FORMAT, "no document has %lld sentences or more", (long long)sentences)
                               : gw_fail(GW_ERR_FORMAT, "no document has %lld tokens or more", (long long)least);
    if (status == GW_OK) *out = pack;
    else gw_pack_free(pack);
    return status;
}

gw_status gw_pack_new(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least, gw_pack **out) {
    return make(shards, count, chunk_tokens, least, -1, 0, out);
}

gw_status gw_pack_joined(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least, int32_t separator,
                         gw_pack **out) {
    return make(shards, count, chunk_tokens, least, separator, 0, out);
}

gw_status gw_pack_of_sentences(gw_shards *const *shards, int count, int64_t chunk_tokens, int64_t least,
                               int64_t sentences, gw_pack **out) {
    return make(shards, count, chunk_tokens, least, -1, sentences, out);
}

void gw_pack_free(gw_pack *pack) {
    if (!pack) return;
    free(pack->shards);
    free(pack->documents);
    free(pack);
}

int64_t gw_pack_chunks(const gw_pack *pack) {
    return pack->chunks;
}

double gw_pack_mean_chunk(const gw_pack *pack) {
    return (double)pack->tokens / (double)pack->chunks;
}

gw_span gw_pack_chunk(const gw_pack *pack, int64_t chunk) {
    assert(chunk >= 0 && chunk < pack->chunks);
    const int64_t low = GW_FIRST_NOT(i, pack->count, pack->documents[i + 1].first_chunk <= chunk);
    const packed_document *d = &pack->documents[low];
    const int64_t chunks = d[1].first_chunk - d->first_chunk, i = chunk - d->first_chunk;
    const int64_t begin = d->tokens * i / chunks, end = d->tokens * (i + 1) / chunks;
    return (gw_span){d->shard, d->document, begin, end - begin};
}

// Copies what the span has of a document whose first token is number *at of those from span.document on; returns how
// many tokens of the span are there then.
static int64_t read_document(const gw_shards *shards, gw_span span, int64_t document, int64_t *at, int64_t done,
                             int32_t *tokens) {
    int64_t sentence, last;
    gw_shards_document(shards, document, &sentence, &last);
    for (; sentence < last && done < span.count; sentence++) {
        const int64_t length = gw_shards_sentence_length(shards, sentence), from = span.begin + done - *at;
        if (from < length) {
            const int64_t left = span.count - done, count = length - from < left ? length - from : left;
            gw_shards_read(shards, sentence, from, count, tokens + done);
            done += count;
        }
        *at += length;
    }
    return done;
}

void gw_pack_read(const gw_pack *pack, gw_span span, int32_t *tokens) {
    int64_t at = 0, done = read_document(pack->shards[span.shard], span, span.document, &at, 0, tokens);
    for (int64_t document = span.document + 1; done < span.count; document++) {
        assert(pack->separator >= 0); // and so the span holds all of the documents
        tokens[done++] = pack->separator;
        at++;
        done = read_document(pack->shards[span.shard], span, document, &at, done, tokens);
    }
}

int64_t gw_pack_borders(const gw_pack *pack, gw_span span, int64_t which, int64_t *offset) {
    const gw_shards *shards = pack->shards[span.shard];
    int64_t sentence, last, at = 0, borders = 0;
    gw_shards_document(shards, span.document, &sentence, &last);
    for (; sentence < last && at < span.begin + span.count; sentence++) {
        if (at > span.begin) {
            if (borders == which) *offset = at - span.begin;
            borders++;
        }
        at += gw_shards_sentence_length(shards, sentence);
    }
    return borders;
}

// Counts the sentences that have tokens in the span. Where begin is not NULL they are `found`, and make groups in
// order, of which each begins where its first sentence does.
static int64_t list_sentences(const gw_pack *pack, gw_span span, int64_t found, int64_t groups, int32_t *begin) {
    const gw_shards *shards = pack->shards[span.shard];
    int64_t sentence, last, at = 0, count = 0;
    gw_shards_document(shards, span.document, &sentence, &last);
    for (; sentence < last && at < span.begin + span.count; sentence++) {
        const int64_t end = at + gw_shards_sentence_length(shards, sentence), first = at > span.begin ? at : span.begin;
        at = end;
        if (end <= first) continue;
        const int64_t group = begin ? count * groups / found : 0;
        if (begin && (count == 0 || group > (count - 1) * groups / found)) begin[group] = (int32_t)(first - span.begin);
        count++;
    }
    return count;
}

int64_t gw_pack_sentences(const gw_pack *pack, gw_span span, int64_t most, int32_t *begin) {
    const int64_t found = list_sentences(pack, span, 0, 0, NULL), count = found < most ? found : most;
    if (begin && count > 0) list_sentences(pack, span, found, count, begin);
    return count;
}

// --- overlaps -------------------------------------------------------------------------------------------------------
//
// The first bases of the piece that begins later are searched in the other one; each hit is checked to the end of the
// overlap. Random text fails after a base or two, so the search is what costs.

// An overlap that begins where b begins.
static bool begins_inside(const char *a, int64_t a_length, const char *b, int64_t b_length, int64_t shortest) {
    const char *end = a + a_length;
    for (const char *at = a; end - at >= shortest; at++) {
        at = memmem(at, (size_t)(end - at), b, (size_t)shortest);
        if (!at) return false;
        const int64_t common = end - at < b_length ? end - at : b_length;
        if (memcmp(at, b, (size_t)common) == 0) return true;
    }
    return false;
}

bool gw_texts_overlap(const char *a, int64_t a_length, const char *b, int64_t b_length) {
    int64_t shortest = a_length < b_length ? a_length : b_length;
    if (shortest > GW_SHORTEST_OVERLAP) shortest = GW_SHORTEST_OVERLAP;
    if (shortest == 0) return false;
    return begins_inside(a, a_length, b, b_length, shortest) || begins_inside(b, b_length, a, a_length, shortest);
}

// --- pairs ----------------------------------------------------------------------------------------------------------
//
// Cuts chunks in two, and draws the second sentence where it is to be a random one.

enum { MOST_DRAWS = 64 };

struct gw_pair_maker {
    const gw_pack *pack;
    const gw_tokenizer *tokenizer;
    uint64_t seed;
    int32_t *tokens;
    int64_t capacity;
    gw_string a, b, reverse;
};

gw_status gw_pair_maker_new(const gw_pack *pack, const gw_tokenizer *tokenizer, uint64_t seed, gw_pair_maker **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->pack = pack;
    (*out)->tokenizer = tokenizer;
    (*out)->seed = seed;
    return GW_OK;
}

void gw_pair_maker_free(gw_pair_maker *maker) {
    if (!maker) return;
    free(maker->tokens);
    gw_string_free(&maker->a);
    gw_string_free(&maker->b);
    gw_string_free(&maker->reverse);
    free(maker);
}

// The bases of the span and of the GW_SHORTEST_OVERLAP tokens (each at least a base) on either side of it.
static gw_status read_text(gw_pair_maker *maker, gw_span span, gw_string *text) {
    const int64_t end = span.begin + span.count + GW_SHORTEST_OVERLAP,
                  tokens = document_tokens(maker->pack->shards[span.shard], span.document);
    span.begin = span.begin > GW_SHORTEST_OVERLAP ? span.begin - GW_SHORTEST_OVERLAP : 0;
    span.count = (end < tokens ? end : tokens) - span.begin;
    GW_TRY(gw_reserve(&maker->tokens, &maker->capacity, span.count, sizeof *maker->tokens));
    gw_pack_read(maker->pack, span, maker->tokens);
    gw_string_clear(text);
    for (int64_t i = 0; i < span.count; i++) gw_tokenizer_append_bases(maker->tokenizer, maker->tokens[i], text);
    return gw_string_status(text);
}

static gw_status text_overlaps(gw_pair_maker *maker, gw_span b, bool *overlap) {
    GW_TRY(read_text(maker, b, &maker->b));
    gw_string_clear(&maker->reverse);
    gw_string_append(&maker->reverse, maker->b.data, maker->b.length); // makes the room
    GW_TRY(gw_string_status(&maker->reverse));
    gw_reverse_complement(maker->b.data, maker->b.length, maker->reverse.data);
    *overlap = gw_texts_overlap(maker->a.data, maker->a.length, maker->b.data, maker->b.length) ||
               gw_texts_overlap(maker->a.data, maker->a.length, maker->reverse.data, maker->reverse.length);
    return GW_OK;
}

gw_status gw_spans_overlap(gw_pair_maker *maker, gw_span a, gw_span b, bool *overlap) {
    GW_TRY(read_text(maker, a, &maker->a));
    return text_overlaps(maker, b, overlap);
}

// A run of `count` tokens from a random place of the shards: from a sentence's begin or, where `inside`, from a random
// token. False where the draw hits A's document or its document ends too early.
static bool draw_elsewhere(const gw_pack *pack, gw_random *random, gw_span a, int64_t count, bool inside, gw_span *b) {
    const gw_span chunk = gw_pack_chunk(pack, (int64_t)gw_random_below(random, (uint64_t)gw_pack_chunks(pack)));
    if (chunk.shard == a.shard && chunk.document == a.document) return false;
    *b = chunk;
    int64_t offset = 0;
    if (inside) {
        offset = (int64_t)gw_random_below(random, (uint64_t)chunk.count);
    } else {
        const int64_t borders = gw_pack_borders(pack, chunk, -1, &offset);
        if (borders > 0) gw_pack_borders(pack, chunk, (int64_t)gw_random_below(random, (uint64_t)borders), &offset);
        else if (chunk.begin > 0) return false;
    }
    b->begin += offset;
    b->count = count;
    return b->begin + count <= document_tokens(pack->shards[chunk.shard], chunk.document);
}

gw_status gw_pair_draw(gw_pair_maker *maker, gw_random_site site, int64_t ordinal, int64_t chunk, gw_pair *out) {
    gw_random random = gw_random_at(maker->seed, site, (uint64_t)ordinal, 0);
    const gw_span whole = gw_pack_chunk(maker->pack, chunk);
    const bool elsewhere = gw_random_below(&random, 2) == 1;
    int64_t cut = 0;
    const int64_t borders = gw_pack_borders(maker->pack, whole, -1, &cut);
    if (borders > 0) gw_pack_borders(maker->pack, whole, (int64_t)gw_random_below(&random, (uint64_t)borders), &cut);
    else cut = gw_random_between(&random, 1, whole.count - 1);
    *out = (gw_pair){.a = whole, .b = whole};
    out->a.count = cut;
    out->b.begin += cut;
    out->b.count -= cut;
    if (!elsewhere) return GW_OK;
    GW_TRY(read_text(maker, out->a, &maker->a));
    for (int i = 0; i < MOST_DRAWS; i++) {
        gw_span b;
        if (!draw_elsewhere(maker->pack, &random, out->a, out->b.count, borders == 0, &b)) continue;
        bool overlap;
        GW_TRY(text_overlaps(maker, b, &overlap));
        if (overlap) continue;
        out->b = b;
        out->label = 1;
        break;
    }
    return GW_OK;
}
