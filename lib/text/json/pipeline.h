// SPDX-License-Identifier: MIT
// The kind of tokenizer that a tokenizer.json of Hugging Face's `tokenizers` describes.
#ifndef GW_TEXT_JSON_PIPELINE_H
#define GW_TEXT_JSON_PIPELINE_H

#include "base/json.h"
#include "base/string.h"
#include "text/json/bpe_model.h"
#include "text/json/id_vocabulary.h"
#include "text/json/pieces.h"
#include "text/kind.h"
#include "text/sentencepiece/unigram.h"
#include "text/unicode.h"

// pre_tokenizer.c: the "pre_tokenizer" of a tokenizer.json: steps that split a text into words for the model.

typedef struct {
    enum {
        GW_PRE_SPLIT,
        GW_PRE_SPACE_BEFORE, // ByteLevel's add_prefix_space: puts a space before a piece without one
        GW_PRE_BYTES,        // GPT-2's letters of bytes
        GW_PRE_METASPACE     // spaces become `mark`; `prepend` says when a mark is put before the piece
    } kind;
    gw_text_pattern pattern;
    gw_split behaviour;
    bool invert;
    char mark[8]; // one character
    enum { GW_PREPEND_NEVER, GW_PREPEND_FIRST, GW_PREPEND_ALWAYS } prepend;
} gw_pre_step;

typedef struct {
    gw_pre_step *steps;
    int64_t count, capacity;
} gw_pre_tokenizer;

// Reads the value of "pre_tokenizer", which may be null. Free `out`, also after a failure.
gw_status gw_pre_tokenizer_read(const char *path, const json_t *json, gw_pre_tokenizer *out) GW_MUST_CHECK;
void gw_pre_tokenizer_free(gw_pre_tokenizer *pre_tokenizer);
gw_status gw_pre_tokenize(const gw_pre_tokenizer *pre_tokenizer, gw_pieces *pieces) GW_MUST_CHECK;

// Settings of Metaspace, for the pre-tokenizer and the decoder.
gw_status gw_metaspace_read(const char *path, const json_t *json, gw_pre_step *out, bool *split) GW_MUST_CHECK;

// normalizer.c: the "normalizer" of a tokenizer.json: steps that change a text before it is split.

typedef struct {
    enum {
        GW_NORMALIZE_STRIP,
        GW_NORMALIZE_REPLACE,
        GW_NORMALIZE_PREPEND,
        GW_NORMALIZE_LOWER_CASE,
        GW_NORMALIZE_FORM,
        GW_NORMALIZE_STRIP_ACCENTS, // removes marks; `left`: only non-spacing marks
        GW_NORMALIZE_CLEAN,         // BERT's: removes control characters; white space becomes a space
        GW_NORMALIZE_SPACE_CHINESE, // BERT's: puts spaces around Chinese characters
        GW_NORMALIZE_BYTES          // GPT-2's letters of bytes
    } kind;
    bool left, right;        // STRIP
    gw_text_pattern pattern; // REPLACE
    char *content;           // REPLACE, PREPEND; owned
    gw_normal_form form;     // FORM
} gw_normalizer_step;

typedef struct {
    gw_normalizer_step *steps;
    int64_t count, capacity;
} gw_normalizer;

// Reads the value of "normalizer", which may be null. Free `out`, also after a failure.
gw_status gw_normalizer_read(const char *path, const json_t *json, gw_normalizer *out) GW_MUST_CHECK;
void gw_normalizer_free(gw_normalizer *normalizer);

// Scratch memory of one thread. Zero-initialise.
typedef struct {
    gw_string texts[2];
    gw_regex_scratch regex;
} gw_normalizer_scratch;
void gw_normalizer_scratch_free(gw_normalizer_scratch *scratch);

// Appends the valid UTF-8 text after all steps. *trimmed: characters were removed from its front.
gw_status gw_normalize(const gw_normalizer *normalizer, gw_normalizer_scratch *scratch, const char *text,
                       int64_t length, gw_string *out, bool *trimmed) GW_MUST_CHECK;

// word_models.c: the "WordPiece" model of a tokenizer.json (BERT's): words to ids, as in the `tokenizers` package.
//
// A word is split from left to right into the longest tokens of the vocabulary. All but the first have a prefix ("##").
// If no token fits, or the word has more characters than the model allows, the whole word becomes the unknown token.

typedef struct {
    gw_id_vocabulary vocabulary;
    int32_t unknown; // -1: none
    char *prefix;
    int64_t prefix_length;
    int64_t longest;         // bytes of the longest token
    int64_t most_characters; // of a word
} gw_wordpiece_model;

// Free `out`, also after a failure.
gw_status gw_wordpiece_model_read(const char *path, const json_t *json, gw_wordpiece_model *out) GW_MUST_CHECK;
void gw_wordpiece_model_free(gw_wordpiece_model *model);
// Appends the tokens of a word of valid UTF-8. `key` is scratch memory.
gw_status gw_wordpiece_model_add(const gw_wordpiece_model *model, gw_string *key, const char *word, int64_t length,
                                 gw_bpe_words *words) GW_MUST_CHECK;

// The "Unigram" model of a tokenizer.json: words to ids, as in the `tokenizers` package.
//
// Sums are in double precision, and every token takes part with its score, including special ones. A run of unknown
// characters becomes one token: the token with this text if there is one; else its bytes ("<0x41>") if byte_fallback is
// set; else the unknown token.

typedef struct {
    char **texts; // [size]; owned
    int32_t size;
    gw_text_index index;
    gw_unigram unigram;
    int32_t unknown; // -1: none
    bool byte_fallback;
    int32_t byte_ids[256]; // -1: none
} gw_unigram_model;

// Free `out`, also after a failure.
gw_status gw_unigram_model_read(const char *path, const json_t *json, gw_unigram_model *out) GW_MUST_CHECK;
void gw_unigram_model_free(gw_unigram_model *model);
// Appends the tokens of a word of valid UTF-8.
gw_status gw_unigram_model_add(const gw_unigram_model *model, gw_unigram_path *path, const char *word, int64_t length,
                               gw_bpe_words *words) GW_MUST_CHECK;

// decoder.c: the "decoder" of a tokenizer.json: steps from the texts of tokens to the decoded text.

typedef struct {
    enum {
        GW_DECODE_FUSE,          // joins all tokens
        GW_DECODE_BYTES,         // joins all tokens; GPT-2's letters become bytes
        GW_DECODE_SUFFIX,        // `content` at the end of words becomes a space, except after the last word
        GW_DECODE_METASPACE,     // `content` becomes a space; `front`: removed before the first token
        GW_DECODE_BYTE_FALLBACK, // tokens "<0x41>" become bytes
        GW_DECODE_REPLACE,       // `pattern` becomes `content`
        GW_DECODE_WORDPIECE,     // removes `content` before later tokens, puts a space before others; `cleanup`: " ."
                                 // becomes "." ..
        GW_DECODE_STRIP          // removes `content` up to `start` and `stop` times at both ends of each token
    } kind;
    gw_text_pattern pattern;
    char *content; // owned
    bool front, cleanup;
    int64_t start, stop;
} gw_decoder_step;

typedef struct {
    gw_decoder_step *steps;
    int64_t count, capacity;
} gw_decoder;

// Reads the value of "decoder"; null: tokens are joined by spaces. Free `out`, also after a failure.
gw_status gw_decoder_read(const char *path, const json_t *json, gw_decoder *out) GW_MUST_CHECK;
void gw_decoder_free(gw_decoder *decoder);
// Runs the steps on pieces that are the tokens, and appends the resulting text.
gw_status gw_decode_pieces(const gw_decoder *decoder, gw_pieces *pieces, gw_string *out) GW_MUST_CHECK;

// `root`: the parsed bytes.
gw_status gw_pipeline_read(const char *path, const json_t *root, const char *bytes, int64_t length,
                           gw_tokenizer **out) GW_MUST_CHECK;

#endif
