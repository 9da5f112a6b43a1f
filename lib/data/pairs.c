// SPDX-License-Identifier: MIT
// Cuts chunks in two, and draws the second sentence where it is to be a random one.
#include "data/pairs.h"

#include "base/memory.h"
#include "base/string.h"
#include "data/overlap.h"
#include "seq/genome/genome.h"

#include <stdlib.h>

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
                  tokens = gw_pack_document_tokens(maker->pack, span);
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
    return b->begin + count <= gw_pack_document_tokens(pack, chunk);
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
