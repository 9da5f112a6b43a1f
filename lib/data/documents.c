// SPDX-License-Identifier: MIT
// Reads documents line by line, and encodes them batch by batch.
#include "data/documents.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/string.h"
#include "base/utf8.h"
#include "file/file_kind.h"
#include "file/lines.h"
#include "file/table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct gw_documents {
    const char *const *paths;
    int count, opened; // files, and how many of them were opened so far
    gw_line_reader *lines;
    bool first; // the next sentence begins a document
    int64_t sentences;
    bool any_text;
    const char *column; // of tables; NULL: files of sentences
    gw_table *table;
    gw_string text; // of the table's row
    int64_t at;     // in the text
    int field;
    bool is_letter[256];
};

static const char *const standard_input[] = {"-"};

gw_status gw_documents_open(const char *const *paths, int count, gw_documents **out) {
    gw_documents *d = *out = gw_alloc(1, sizeof *d);
    if (!d) return GW_ERR_MEMORY;
    d->paths = count > 0 ? paths : standard_input;
    d->count = count > 0 ? count : 1;
    for (const char *c = "ACGTUNRYSWKMBDHVacgtunryswkmbdhv"; *c; c++) d->is_letter[(uint8_t)*c] = true;
    return GW_OK;
}

void gw_documents_close(gw_documents *documents) {
    if (!documents) return;
    if (documents->lines) gw_lines_close(documents->lines);
    gw_table_close(documents->table);
    gw_string_free(&documents->text);
    free(documents);
}

void gw_documents_take_text(gw_documents *documents) {
    documents->any_text = true;
}

void gw_documents_take_column(gw_documents *documents, const char *column) {
    documents->column = column;
}

static gw_status check_letters(const gw_documents *d, const char *line, int64_t length) {
    bool all = true; // without a way out of the loop, which would cost more than it saves
    for (int64_t i = 0; i < length; i++) all &= d->is_letter[(uint8_t)line[i]];
    if (all) return GW_OK;
    for (int64_t i = 0; i < length; i++) {
        const uint8_t byte = (uint8_t)line[i];
        if (d->is_letter[byte]) continue;
        const char *format = byte > ' ' && byte < 127 ? "column %lld: '%c' is not a nucleotide letter"
                                                      : "column %lld: byte 0x%02X is not a nucleotide letter";
        if (d->table) return gw_table_fail(d->table, GW_ERR_FORMAT, format, (long long)i + 1, byte);
        return gw_lines_fail(d->lines, GW_ERR_FORMAT, format, (long long)i + 1, byte);
    }
    return GW_OK;
}

// The row's text, of which something is left; no table behind the last row of the last file.
static gw_status next_row(gw_documents *d) {
    const gw_table_options options = {0};
    const char *text;
    bool found = false;
    while (!found) {
        if (!d->table && d->opened == d->count) return GW_OK;
        if (!d->table) {
            GW_TRY(gw_table_open(d->paths[d->opened++], &options, &d->table));
            GW_TRY(gw_table_column(d->table, d->column, &d->field));
        }
        GW_TRY(gw_table_next(d->table, &found));
        if (found) continue;
        gw_table_close(d->table);
        d->table = NULL;
    }
    GW_TRY(gw_table_text(d->table, d->field, &text));
    if (!text[strspn(text, " \t\r\n")]) return gw_table_fail(d->table, GW_ERR_FORMAT, "\"%s\" is empty", d->column);
    gw_string_clear(&d->text);
    gw_string_puts(&d->text, text);
    d->at = 0;
    d->first = true;
    return gw_string_status(&d->text);
}

// The next line of a row's text; NULL behind the last row.
static gw_status next_line_of_row(gw_documents *d, char **line, int64_t *length) {
    *length = 0;
    while (*length == 0) {
        if (d->at >= d->text.length) GW_TRY(next_row(d));
        *line = d->table ? d->text.data + d->at : NULL;
        if (!d->table) return GW_OK;
        *length = (int64_t)strcspn(*line, "\n");
        d->at += *length + 1;
        (*line)[*length] = 0;
        while (*length > 0 && (*line)[*length - 1] == '\r') --*length;
    }
    return GW_OK;
}

// The next line of the current or a following file; NULL after the last.
static gw_status next_line(gw_documents *d, char **line, int64_t *length) {
    for (;;) {
        if (!d->lines) {
            *line = NULL;
            if (d->opened == d->count) return GW_OK;
            GW_TRY(gw_lines_open(d->paths[d->opened++], &d->lines));
            d->first = true;
            if (d->any_text) gw_lines_take_zeros(d->lines);
        }
        GW_TRY(gw_lines_next(d->lines, line, length));
        if (*line && gw_lines_number(d->lines) == 1) { // SQuAD's official files are not texts, though their lines are
            const gw_file_kind kind = gw_file_kind_of(*line);
            if (kind == GW_KIND_SQUAD)
                return gw_file_kind_refuse(kind, gw_lines_path(d->lines),
                                           "sentences, one a line, or tables of texts (--text)");
        }
        if (*line) return GW_OK;
        gw_lines_close(d->lines);
        d->lines = NULL;
    }
}

gw_status gw_documents_next(gw_documents *documents, gw_sentence *out) {
    *out = (gw_sentence){0};
    for (;;) {
        char *line;
        int64_t length = 0;
        GW_TRY(documents->column ? next_line_of_row(documents, &line, &length) : next_line(documents, &line, &length));
        if (!line && documents->sentences == 0)
            return gw_fail(GW_ERR_FORMAT, "%s contains no sentence", documents->paths[documents->count - 1]);
        if (!line) return GW_OK;
        if (length == 0) {
            documents->first = true;
            continue;
        }
        if (!documents->any_text) GW_TRY(check_letters(documents, line, length));
        const bool whole = !documents->any_text || documents->table; // tables are of UTF-8
        const int64_t valid = whole ? length : gw_utf8_valid(line, length);
        if (valid < length)
            return gw_lines_fail(documents->lines, GW_ERR_FORMAT, "column %lld: byte 0x%02X is not UTF-8",
                                 (long long)valid + 1, (uint8_t)line[valid]);
        *out = (gw_sentence){line, length, documents->first};
        documents->first = false;
        documents->sentences++;
        return GW_OK;
    }
}

// --- encoding -------------------------------------------------------------------------------------------------------
//
// Sentences are gathered into a batch, encoded side by side, and handed over in order. Every thread has a list of
// tokens.
//
// Every sentence ends in a newline. To tokenizers made here that is no letter, so it becomes [UNK], which merges with
// nothing: several sentences are encoded in one call, nearly twice as fast as one by one since each merge then has more
// places to visit.
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
static gw_status encode_call(encode_batch *b, int64_t begin, int64_t end, int thread) {
    const batch_sentence *last = &b->sentences[end - 1];
    const int64_t from = b->sentences[begin].start, to = last->start + last->bases + b->joined;
    encode_thread *t = &b->threads[thread];
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(t->encoder, b->bases.data + from, to - from, &tokens, &count));
    GW_TRY(gw_reserve(&t->tokens, &t->capacity, t->count + count, sizeof *t->tokens));
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
        for (int64_t i = 0; i < batch.count; i++) {
            const batch_sentence *s = &batch.sentences[i];
            const int32_t *tokens = batch.threads[s->thread].tokens + s->first_token;
            GW_TRY_GOTO(status, sink->take(sink->context, tokens, s->tokens, s->first), done);
            totals->documents += s->first;
            totals->bases += s->bases;
            totals->tokens += s->tokens;
        }
        totals->sentences += batch.count;
        gw_progress("encoding", totals->bases, 0, gw_tokenizer_is_dna(tokenizer) ? "bases" : "bytes", NULL);
    }
done:
    for (int i = 0; batch.threads && i < batch.thread_count; i++) {
        gw_encoder_free(batch.threads[i].encoder);
        free(batch.threads[i].tokens);
    }
    free(batch.threads);
    free(batch.sentences);
    gw_string_free(&batch.bases);
    return status;
}
