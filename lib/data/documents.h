// SPDX-License-Identifier: MIT
// Documents as text: one sentence a line, an empty line between documents; plain, gzip or BGZF.
#ifndef GW_DATA_DOCUMENTS_H
#define GW_DATA_DOCUMENTS_H

#include "base/status.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *bases; // as in the file; NULL at the end of the last file
    int64_t length;
    bool first; // first sentence of its document
} gw_sentence;

typedef struct gw_documents gw_documents;
// Reads the files one after the other. The end of a file also ends a document. No paths: standard input. `paths` is
// borrowed.
gw_status gw_documents_open(const char *const *paths, int count, gw_documents **out) GW_MUST_CHECK;
// Allows any UTF-8 text in later sentences.
void gw_documents_take_text(gw_documents *documents);
// Reads later files as tables (file/table.h): the text of the column in each row is a document, and each non-empty line
// of the text is a sentence. `column` is borrowed.
void gw_documents_take_column(gw_documents *documents, const char *column);
// The next sentence, valid until the next call. A character that is no nucleotide letter (IUPAC, either case) is an
// error that names file, line and column. For any text, bytes that are not UTF-8 are such errors. Input without
// sentences is an error too.
gw_status gw_documents_next(gw_documents *documents, gw_sentence *out) GW_MUST_CHECK;
void gw_documents_close(gw_documents *documents);

// Converts documents to tokens on all threads, in order, in bounded memory.

// Takes the tokens of each sentence in turn. `first`: the sentence begins a document.
typedef struct {
    gw_status (*take)(void *context, const int32_t *tokens, int64_t count, bool first);
    void *context;
} gw_token_sink;

typedef struct {
    int64_t documents, sentences, bases, tokens;
} gw_encoded_totals;

// Encodes the remaining sentences; `keep_case` as in gw_encoder_keep_case(). Memory: one encoder for each thread, and
// at most about 10 bytes for each base of a batch of 4 million bases, or of the longest sentence if it is longer.
gw_status gw_encode_documents(const gw_tokenizer *tokenizer, gw_documents *documents, bool keep_case,
                              const gw_token_sink *sink, gw_encoded_totals *totals) GW_MUST_CHECK;

#endif
