// SPDX-License-Identifier: MIT
// What every tokenizer holds, and the table of what each kind does its own way. For the files of lib/text only.
//
// A reader of some format fills a gw_tokenizer from gw_tokenizer_new() (texts, special, templates, specials, state),
// and hands it to gw_tokenizer_finish(). Nothing changes afterwards, so that any number of threads may use it.
#ifndef GW_TEXT_KIND_H
#define GW_TEXT_KIND_H

#include "base/json.h"
#include "base/string.h"
#include "text/tokenizer.h"

#include <stdatomic.h>

typedef struct {
    const int32_t *tokens; // of the scratch, until its next use
    int64_t count;
    int64_t unknown; // characters that became [UNK]
} gw_encoded;

typedef struct {
    const char *file;         // its name in a model folder
    const char *transformers; // the class of transformers that reads it
    bool lowers;              // that class puts texts in lower case, unless its settings say no
    bool ends_texts;          // to that class what stands behind a text is no separator but an end, or nothing
    bool own;                 // the kind made here: reads lower case as well, and a line at a time
    gw_status (*save)(const gw_tokenizer *tokenizer, const char *path);  // NULL: what was read, byte for byte
    void (*free)(void *state);                                           // also a half-filled one, and NULL
    gw_status (*scratch_new)(const gw_tokenizer *tokenizer, void **out); // memory of one thread
    void (*scratch_free)(void *scratch);                                 // also NULL
    // Tokens of a text, without those that a template adds.
    gw_status (*encode)(void *scratch, const char *text, int64_t length, gw_encoded *out);
    // Appends the text of tokens, which are in the vocabulary.
    gw_status (*decode)(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out);
} gw_tokenizer_kind;

// What stands around a text: a special token, or all tokens of A or B.
typedef struct {
    enum { GW_PIECE_TOKEN, GW_PIECE_A, GW_PIECE_B } what;
    int32_t token, segment;
} gw_template_piece;

enum { GW_TEMPLATE_PIECES = 16, GW_SPECIAL_KINDS = GW_SPECIAL_MASK + 1 };

typedef struct {
    gw_template_piece pieces[GW_TEMPLATE_PIECES];
    int count;
} gw_template;

// Encoded so far.
typedef struct {
    _Atomic int64_t characters, unknown;
    atomic_bool warned;
} gw_token_counts;

struct gw_tokenizer {
    const gw_tokenizer_kind *kind;
    void *state;  // of the kind; owned
    char *source; // the file it was read from, or NULL
    char *stored; // [stored_length] the file's bytes, which saving writes back; NULL: made here
    int64_t stored_length;
    int32_t size;
    char **texts;                       // [size] "" where no token has this id
    bool *special;                      // [size]
    int32_t *bases;                     // [size]
    bool *has_n;                        // [size]
    int32_t specials[GW_SPECIAL_KINDS]; // ids, or -1
    gw_template single, pair;
    bool is_dna, is_upper; // every ordinary token is made of nucleotide letters; of capitals alone
    double mean_bases;
    atomic_int references;
    gw_token_counts *counts;
};

// Room for `size` ids: no texts, no specials, A and A B as templates. The tokenizer owns `state` at once, also where
// this fails.
gw_status gw_tokenizer_new(const gw_tokenizer_kind *kind, void *state, int32_t size, gw_tokenizer **out) GW_MUST_CHECK;
// What follows from the texts: ids without one, the bases of each token, is_dna. `path` and the bytes are copied.
gw_status gw_tokenizer_finish(gw_tokenizer *tokenizer, const char *path, const char *bytes,
                              int64_t length) GW_MUST_CHECK;
// A decode function: the texts of the vocabulary one after the other.
gw_status gw_decode_joined(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count,
                           gw_string *out) GW_MUST_CHECK;

// The failure of a text that the vocabulary lacks, where no token stands for unknown text.
gw_status gw_no_unknown(const char *text, int64_t length);

// The readers. `path` is for messages; the bytes are the whole file.
gw_status gw_tokenizer_json_parse(const char *path, const char *bytes, int64_t length,
                                  gw_tokenizer **out) GW_MUST_CHECK;
// A SentencePiece .model: ids of the sentencepiece package; and of transformers' BigBirdTokenizer, whose settings are
// in tokenizer_config.json (NULL: none).
gw_status gw_tokenizer_spm_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) GW_MUST_CHECK;
gw_status gw_tokenizer_bigbird_parse(const char *path, const char *bytes, int64_t length, const json_t *settings,
                                     gw_tokenizer **out) GW_MUST_CHECK;

// Which tokens of a tokenizer made elsewhere are its special ones: what the files beside it say, or their usual names.

// tokenizer_config.json and special_tokens_map.json in the folder of `path` decide; where they are silent (or `path` is
// not a file of a model folder: tokenizer.json, vocab.json) what stands in `specials` already; then usual names such as
// "[CLS]" and "<s>".
gw_status gw_special_names_find(const char *path, gw_tokenizer *tokenizer) GW_MUST_CHECK;

#endif
