// SPDX-License-Identifier: MIT
// Sentences are gathered into a batch, encoded side by side, and handed over in order. Every thread has a list of
// tokens.
//
// Every sentence ends in a newline. To tokenizers made here that is no letter, so it becomes [UNK], which merges with
// nothing: several sentences are encoded in one call, nearly twice as fast as one by one since each merge then has more
// places to visit.
#include "data/encode_documents.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/string.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_BASES = 4 << 20, CALL_BASES = 64 << 10 };

typedef struct {
    int64_t start, bases;        // in batch.bases
    int64_t first_token, tokens; // in the list of the thread
    int thread;
    bool first;
} batch_sentence;

typedef struct {
    gw_encoder *encoder;
    int32_t *tokens;
    int64_t count, capacity;
} encode_thread;

typedef struct {
    gw_string bases;
    batch_sentence *sentences;
    int64_t count, capacity;
    encode_thread *threads;
    int thread_count;
    bool joined;        // several sentences a call
    int32_t newline;    // then the token of what is between them
    _Atomic int status; // of a thread that failed
} encode_batch;

static gw_status open_batch(encode_batch *b, const gw_tokenizer *tokenizer, bool keep_case) {
    b->joined = gw_tokenizer_parts_lines(tokenizer);
    b->newline = gw_tokenizer_special(tokenizer, GW_SPECIAL_UNK);
    b->thread_count = gw_threads();
    b->threads = gw_alloc(b->thread_count, sizeof *b->threads);
    if (!b->threads) return GW_ERR_MEMORY;
    for (int i = 0; i < b->thread_count; i++) {
        GW_TRY(gw_encoder_new(tokenizer, &b->threads[i].encoder));
        gw_encoder_keep_case(b->threads[i].encoder, keep_case);
    }
    return GW_OK;
}

static void close_batch(encode_batch *b) {
    for (int i = 0; b->threads && i < b->thread_count; i++) {
        gw_encoder_free(b->threads[i].encoder);
        free(b->threads[i].tokens);
    }
    free(b->threads);
    free(b->sentences);
    gw_string_free(&b->bases);
}

// Reads until the batch is full or the input ends: an empty batch means the end.
static gw_status gather(encode_batch *b, gw_documents *documents) {
    gw_string_clear(&b->bases);
    b->count = 0;
    while (b->bases.length < BATCH_BASES) {
        gw_sentence sentence;
        GW_TRY(gw_documents_next(documents, &sentence));
        if (!sentence.bases) break;
        GW_TRY(gw_reserve(&b->sentences, &b->capacity, b->count + 1, sizeof *b->sentences));
        b->sentences[b->count++] =
            (batch_sentence){.start = b->bases.length, .bases = sentence.length, .first = sentence.first};
        gw_string_append(&b->bases, sentence.bases, sentence.length);
        gw_string_putc(&b->bases, '\n');
    }
    for (int i = 0; i < b->thread_count; i++) b->threads[i].count = 0;
    return gw_string_status(&b->bases);
}

// The tokens of sentences [begin, end), encoded in one call: where they are several, each ends in [UNK].
static void split(encode_batch *b, int64_t begin, int64_t end, int thread, const int32_t *tokens, int64_t count) {
    encode_thread *t = &b->threads[thread];
    for (int64_t i = begin; i < end; i++) {
        batch_sentence *s = &b->sentences[i];
        s->tokens = 0;
        if (b->joined)
            while (tokens[s->tokens] != b->newline) s->tokens++;
        else s->tokens = count;
        memcpy(t->tokens + t->count, tokens, (size_t)s->tokens * sizeof *tokens);
        s->thread = thread;
        s->first_token = t->count;
        t->count += s->tokens;
        tokens += s->tokens + 1;
    }
}

static gw_status encode_call(encode_batch *b, int64_t begin, int64_t end, int thread) {
    const batch_sentence *last = &b->sentences[end - 1];
    const int64_t from = b->sentences[begin].start, to = last->start + last->bases + b->joined;
    encode_thread *t = &b->threads[thread];
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(t->encoder, b->bases.data + from, to - from, &tokens, &count));
    GW_TRY(gw_reserve(&t->tokens, &t->capacity, t->count + count, sizeof *t->tokens));
    split(b, begin, end, thread, tokens, count);
    return GW_OK;
}

static void encode_some(void *context, int64_t begin, int64_t end, int thread) {
    encode_batch *b = context;
    while (begin < end) {
        int64_t next = begin, bases = 0;
        do bases += b->sentences[next++].bases + 1;
        while (b->joined && next < end && bases < CALL_BASES);
        const gw_status status = encode_call(b, begin, next, thread);
        if (status != GW_OK) atomic_store(&b->status, status);
        begin = next;
    }
}

static gw_status hand_over(const encode_batch *b, const gw_token_sink *sink, gw_encoded_totals *totals) {
    for (int64_t i = 0; i < b->count; i++) {
        const batch_sentence *s = &b->sentences[i];
        GW_TRY(sink->take(sink->context, b->threads[s->thread].tokens + s->first_token, s->tokens, s->first));
        totals->documents += s->first;
        totals->bases += s->bases;
        totals->tokens += s->tokens;
    }
    totals->sentences += b->count;
    return GW_OK;
}

gw_status gw_encode_documents(const gw_tokenizer *tokenizer, gw_documents *documents, bool keep_case,
                              const gw_token_sink *sink, gw_encoded_totals *totals) {
    *totals = (gw_encoded_totals){0};
    encode_batch batch = {0};
    gw_status status = open_batch(&batch, tokenizer, keep_case);
    while (status == GW_OK) {
        GW_TRY_GOTO(status, gw_check_interrupt(), done);
        GW_TRY_GOTO(status, gather(&batch, documents), done);
        if (batch.count == 0) break;
        const int64_t grain = batch.count / (BATCH_BASES / CALL_BASES) + 1; // about one call
        gw_parallel_for(batch.count, grain, encode_some, &batch);
        if (batch.status != GW_OK) { // a thread's message stays with it
            status = gw_fail(batch.status, "a sentence is too long to encode, or memory ran out");
            break;
        }
        GW_TRY_GOTO(status, hand_over(&batch, sink, totals), done);
        gw_progress("encoding", totals->bases, 0, gw_tokenizer_is_dna(tokenizer) ? "bases" : "bytes", NULL);
    }
done:
    close_batch(&batch);
    return status;
}
