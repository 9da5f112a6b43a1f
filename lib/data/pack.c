// SPDX-License-Identifier: MIT
// Chunk i of a document of n tokens and c chunks is [n i / c, n (i + 1) / c).
#include "data/pack.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

typedef struct {
    int shard;
    int64_t document, tokens;
    int64_t first_chunk;
} packed_document;

struct gw_pack {
    gw_shards **shards;
    packed_document *documents; // [count + 1]; the last one only closes the list of chunks
    int64_t count, capacity;
    int64_t tokens, chunks;
};

static int64_t document_tokens(const gw_shards *shards, int64_t document) {
    int64_t begin, end, tokens = 0;
    gw_shards_document(shards, document, &begin, &end);
    for (int64_t s = begin; s < end; s++) tokens += gw_shards_sentence_length(shards, s);
    return tokens;
}

static gw_status add_shard(gw_pack *pack, int shard, int64_t room, int64_t least) {
    const gw_shards *shards = pack->shards[shard];
    const int64_t documents = gw_shards_documents(shards);
    GW_TRY(gw_reserve(&pack->documents, &pack->capacity, pack->count + documents + 1, sizeof *pack->documents));
    for (int64_t d = 0; d < documents; d++) {
        const int64_t tokens = document_tokens(shards, d);
        if (tokens < least) continue;
        pack->documents[pack->count++] = (packed_document){shard, d, tokens, pack->chunks};
        pack->chunks += (tokens + room - 1) / room;
        pack->tokens += tokens;
    }
    pack->documents[pack->count] = (packed_document){.first_chunk = pack->chunks};
    return GW_OK;
}

gw_status gw_pack_new(gw_shards *const *shards, int count, int64_t room, int64_t least, gw_pack **out) {
    assert(room >= least && least >= 1);
    *out = NULL;
    gw_pack *pack = gw_alloc(1, sizeof *pack);
    if (!pack) return GW_ERR_MEMORY;
    pack->shards = gw_alloc(count, sizeof *pack->shards);
    gw_status status = pack->shards ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < count; i++) {
        pack->shards[i] = shards[i];
        status = add_shard(pack, i, room, least);
    }
    if (status == GW_OK && pack->chunks == 0)
        status = gw_fail(GW_ERR_FORMAT, "no document has %lld tokens or more", (long long)least);
    if (status == GW_OK) *out = pack;
    else gw_pack_free(pack);
    return status;
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
    int64_t low = 0, high = pack->count; // documents[low].first_chunk <= chunk < documents[high].first_chunk
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (pack->documents[middle].first_chunk <= chunk) low = middle;
        else high = middle;
    }
    const packed_document *d = &pack->documents[low];
    const int64_t chunks = d[1].first_chunk - d->first_chunk, i = chunk - d->first_chunk;
    const int64_t begin = d->tokens * i / chunks, end = d->tokens * (i + 1) / chunks;
    return (gw_span){d->shard, d->document, begin, end - begin};
}

int64_t gw_pack_document_tokens(const gw_pack *pack, gw_span span) {
    return document_tokens(pack->shards[span.shard], span.document);
}

void gw_pack_read(const gw_pack *pack, gw_span span, int32_t *tokens) {
    const gw_shards *shards = pack->shards[span.shard];
    int64_t sentence, last, at = 0; // `at`: the sentence's first token in the document
    gw_shards_document(shards, span.document, &sentence, &last);
    for (int64_t done = 0; done < span.count; sentence++) {
        assert(sentence < last);
        const int64_t length = gw_shards_sentence_length(shards, sentence), from = span.begin + done - at;
        if (from < length) {
            const int64_t left = span.count - done, count = length - from < left ? length - from : left;
            gw_shards_read(shards, sentence, from, count, tokens + done);
            done += count;
        }
        at += length;
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
