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
    bool first; // of its document
} gw_sentence;

typedef struct gw_documents gw_documents;
// Reads the files one after the other; a file's end also ends a document. No paths: standard input. `paths` is
// borrowed.
gw_status gw_documents_open(const char *const *paths, int count, gw_documents **out) GW_MUST_CHECK;
// Sentences may be any text in UTF-8 from now on.
void gw_documents_take_text(gw_documents *documents);
// Files are tables (file/table.h) from now on: each row's text in the column is a document, and each line of it that is
// not empty a sentence. `column` is borrowed.
void gw_documents_take_column(gw_documents *documents, const char *column);
// The next sentence, valid until the next call. A character that is no nucleotide letter (IUPAC, either case) is an
// error that names file, line and column, and so is a byte that is not UTF-8 where any text is taken, and input without
// any sentence.
gw_status gw_documents_next(gw_documents *documents, gw_sentence *out) GW_MUST_CHECK;
void gw_documents_close(gw_documents *documents);

// Documents to tokens on all threads, in order, in bounded memory.

// Takes the tokens of each sentence in turn; `first` where it begins a document.
typedef struct {
    gw_status (*take)(void *context, const int32_t *tokens, int64_t count, bool first);
    void *context;
} gw_token_sink;

typedef struct {
    int64_t documents, sentences, bases, tokens;
} gw_encoded_totals;

// Encodes all that `documents` still holds; `keep_case` as in gw_encoder_keep_case(). Memory: at most about 10 bytes
// for each base of a batch of 4 million bases, or of the longest sentence where that is longer, beside one encoder a
// thread.
gw_status gw_encode_documents(const gw_tokenizer *tokenizer, gw_documents *documents, bool keep_case,
                              const gw_token_sink *sink, gw_encoded_totals *totals) GW_MUST_CHECK;

#endif
