// SPDX-License-Identifier: MIT
// The data of all tokenizers, and the table of functions for each kind. Only for the files of lib/text.
//
// The reader of a format fills a gw_tokenizer from gw_tokenizer_new() (texts, special, templates, specials, state) and
// passes it to gw_tokenizer_finish(). The tokenizer is constant afterwards, so that any number of threads may use it.
#ifndef GW_TEXT_KIND_H
#define GW_TEXT_KIND_H

#include "base/json.h"
#include "base/string.h"
#include "text/tokenizer.h"

#include <stdatomic.h>

typedef struct {
    const int32_t *tokens; // owned by the scratch memory, valid until its next use
    int64_t count;
    int64_t unknown; // characters that became [UNK]
} gw_encoded;

typedef struct {
    const char *file;         // its name in a model folder
    const char *transformers; // the class of transformers that reads it
    bool lowers;              // this class converts texts to lower case by default
    bool ends_texts;          // for this class a text ends with an end token or nothing, not with a separator
    bool own;                 // godwit's own kind: also reads lower case, and several lines at a time
    gw_status (*save)(const gw_tokenizer *tokenizer, const char *path);  // NULL: writes the bytes that were read
    void (*free)(void *state);                                           // accepts partly filled states, and NULL
    gw_status (*scratch_new)(const gw_tokenizer *tokenizer, void **out); // memory of one thread
    void (*scratch_free)(void *scratch);                                 // accepts NULL
    // Encodes a text, without the tokens of a template.
    gw_status (*encode)(void *scratch, const char *text, int64_t length, gw_encoded *out);
    // Appends the text of tokens, which must be in the vocabulary.
    gw_status (*decode)(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out);
} gw_tokenizer_kind;

// A part of a template around a text: a special token, or all tokens of A or B.
typedef struct {
    enum { GW_PIECE_TOKEN, GW_PIECE_A, GW_PIECE_B } what;
    int32_t token, segment;
} gw_template_piece;

enum { GW_TEMPLATE_PIECES = 16, GW_SPECIAL_KINDS = GW_SPECIAL_MASK + 1 };

typedef struct {
    gw_template_piece pieces[GW_TEMPLATE_PIECES];
    int count;
} gw_template;

// Counts over all encoded texts.
typedef struct {
    _Atomic int64_t characters, unknown;
    atomic_bool warned;
} gw_token_counts;

struct gw_tokenizer {
    const gw_tokenizer_kind *kind;
    void *state;  // of the kind; owned
    char *source; // the file that was read, or NULL
    char *stored; // [stored_length] bytes of the file, written back when saving; NULL: made by godwit
    int64_t stored_length;
    int32_t size;
    char **texts;                       // [size] "" for ids without a token
    bool *special;                      // [size]
    int32_t *bases;                     // [size]
    bool *has_n;                        // [size]
    int32_t specials[GW_SPECIAL_KINDS]; // ids, or -1
    gw_template single, pair;
    bool is_dna, is_upper; // ordinary tokens consist of nucleotide letters; of capital letters only
    double mean_bases;
    atomic_int references;
    gw_token_counts *counts;
};

// Allocates a tokenizer with `size` ids, without texts and specials, with the templates A and A B. Takes ownership of
// `state` at once, also after a failure.
gw_status gw_tokenizer_new(const gw_tokenizer_kind *kind, void *state, int32_t size, gw_tokenizer **out) GW_MUST_CHECK;
// Derives further data from the texts: ids without a text, the bases of each token, is_dna. Copies `path` and the
// bytes.
gw_status gw_tokenizer_finish(gw_tokenizer *tokenizer, const char *path, const char *bytes,
                              int64_t length) GW_MUST_CHECK;
// A decode function that joins the texts of the vocabulary.
gw_status gw_decode_joined(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count,
                           gw_string *out) GW_MUST_CHECK;

// Fails because the vocabulary lacks a text and has no unknown token.
gw_status gw_no_unknown(const char *text, int64_t length);

// Readers of formats. `path` is for messages; the bytes are the whole file.
gw_status gw_tokenizer_json_parse(const char *path, const char *bytes, int64_t length,
                                  gw_tokenizer **out) GW_MUST_CHECK;
// SentencePiece .model files, with the ids of the sentencepiece package; and with those of transformers'
// BigBirdTokenizer. `settings`: its tokenizer_config.json (NULL: none).
gw_status gw_tokenizer_spm_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) GW_MUST_CHECK;
gw_status gw_tokenizer_bigbird_parse(const char *path, const char *bytes, int64_t length, const json_t *settings,
                                     gw_tokenizer **out) GW_MUST_CHECK;

// Finds the special tokens of a tokenizer made by another program, in this order: tokenizer_config.json and
// special_tokens_map.json in the folder of `path`; the present values of `specials`, also if `path` is not a file of a
// model folder (tokenizer.json, vocab.json); usual names such as "[CLS]" and "<s>".
gw_status gw_special_names_find(const char *path, gw_tokenizer *tokenizer) GW_MUST_CHECK;

#endif
