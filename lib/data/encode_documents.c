// SPDX-License-Identifier: MIT
// Sentences are gathered into a batch, encoded side by side, and handed over in order. A sentence has at most as many
// tokens as bases, so its tokens go where its bases stand in the batch.
//
// Every sentence ends in a newline there. That is no letter, so it becomes [UNK], which merges with nothing: several
// sentences are encoded in one call, a third faster than one by one since each merge then has more places to visit.
#include "data/encode_documents.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_BASES = 4 << 20, GRAIN = 16, CALL_BASES = 16 << 10 };

typedef struct {
    int64_t start, bases, tokens; // start: in batch.bases and in batch.tokens
    bool first;
} batch_sentence;

typedef struct {
    gw_text bases;
    batch_sentence *sentences;
    int64_t count, capacity;
    int32_t *tokens;
    int64_t tokens_capacity;
    gw_encoder **encoders; // of each thread
    int threads;
    _Atomic int status; // of a thread that failed
} encode_batch;

static gw_status open_batch(encode_batch *b, const gw_tokenizer *tokenizer) {
    b->threads = gw_threads();
    b->encoders = gw_alloc(b->threads, sizeof *b->encoders);
    if (!b->encoders) return GW_ERR_MEMORY;
    for (int i = 0; i < b->threads; i++) GW_TRY(gw_encoder_new(tokenizer, &b->encoders[i]));
    return GW_OK;
}

static void close_batch(encode_batch *b) {
    for (int i = 0; b->encoders && i < b->threads; i++) gw_encoder_free(b->encoders[i]);
    free(b->encoders);
    free(b->tokens);
    free(b->sentences);
    gw_text_free(&b->bases);
}

// Reads until the batch is full or the input ends: an empty batch means the end.
static gw_status gather(encode_batch *b, gw_documents *documents) {
    gw_text_clear(&b->bases);
    b->count = 0;
    while (b->bases.length < BATCH_BASES) {
        gw_sentence sentence;
        GW_TRY(gw_documents_next(documents, &sentence));
        if (!sentence.bases) break;
        GW_TRY(gw_reserve(&b->sentences, &b->capacity, b->count + 1, sizeof *b->sentences));
        b->sentences[b->count++] = (batch_sentence){b->bases.length, sentence.length, 0, sentence.first};
        gw_text_append(&b->bases, sentence.bases, sentence.length);
        gw_text_putc(&b->bases, '\n');
    }
    GW_TRY(gw_text_status(&b->bases));
    return gw_reserve(&b->tokens, &b->tokens_capacity, b->bases.length, sizeof *b->tokens);
}

// The tokens of sentences [begin, end), which were encoded as one text: each ends in [UNK].
static void split(encode_batch *b, int64_t begin, int64_t end, const int32_t *tokens) {
    for (int64_t i = begin; i < end; i++) {
        batch_sentence *s = &b->sentences[i];
        int64_t count = 0;
        while (tokens[count] != GW_TOKEN_UNK) count++;
        memcpy(b->tokens + s->start, tokens, (size_t)count * sizeof *tokens);
        s->tokens = count;
        tokens += count + 1;
    }
}

static void encode_some(void *context, int64_t begin, int64_t end, int thread) {
    encode_batch *b = context;
    while (begin < end) {
        const int64_t from = b->sentences[begin].start;
        int64_t next = begin, to = from;
        while (next < end && to - from < CALL_BASES) {
            to = b->sentences[next].start + b->sentences[next].bases + 1;
            next++;
        }
        const int32_t *tokens;
        int64_t count;
        const gw_status status = gw_encode(b->encoders[thread], b->bases.data + from, to - from, &tokens, &count);
        if (status == GW_OK) split(b, begin, next, tokens);
        else atomic_store(&b->status, status);
        begin = next;
    }
}

static gw_status hand_over(const encode_batch *b, const gw_token_sink *sink, gw_encoded_totals *totals) {
    for (int64_t i = 0; i < b->count; i++) {
        const batch_sentence *s = &b->sentences[i];
        GW_TRY(sink->take(sink->context, b->tokens + s->start, s->tokens, s->first));
        totals->documents += s->first;
        totals->bases += s->bases;
        totals->tokens += s->tokens;
    }
    totals->sentences += b->count;
    return GW_OK;
}

gw_status gw_encode_documents(const gw_tokenizer *tokenizer, gw_documents *documents, const gw_token_sink *sink,
                              gw_encoded_totals *totals) {
    *totals = (gw_encoded_totals){0};
    encode_batch batch = {0};
    gw_status status = open_batch(&batch, tokenizer);
    while (status == GW_OK) {
        GW_TRY_GOTO(status, gw_check_interrupt(), done);
        GW_TRY_GOTO(status, gather(&batch, documents), done);
        if (batch.count == 0) break;
        gw_parallel_for(batch.count, GRAIN, encode_some, &batch);
        if (batch.status != GW_OK) { // a thread's message stays with it
            status = gw_fail(batch.status, "a sentence is too long to encode, or memory ran out");
            break;
        }
        GW_TRY_GOTO(status, hand_over(&batch, sink, totals), done);
        gw_progress("encoding", totals->bases, 0, "bases", NULL);
    }
done:
    close_batch(&batch);
    return status;
}
