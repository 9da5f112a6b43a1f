// SPDX-License-Identifier: MIT
// The kind of tokenizers that a tokenizer.json of Hugging Face's `tokenizers` describes.
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

// pre_tokenizer.c: the "pre_tokenizer" of a tokenizer.json: steps that cut a text into the words that the model sees.

typedef struct {
    enum {
        GW_PRE_SPLIT,
        GW_PRE_SPACE_BEFORE, // ByteLevel's add_prefix_space: a space before a piece that has none
        GW_PRE_BYTES,        // GPT-2's letters of bytes
        GW_PRE_METASPACE     // spaces become `mark`, and one is put before the piece as `prepend` says
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

// From the value of "pre_tokenizer", which may be null. Free the pre-tokenizer, also after failure.
gw_status gw_pre_tokenizer_read(const char *path, const json_t *json, gw_pre_tokenizer *out) GW_MUST_CHECK;
void gw_pre_tokenizer_free(gw_pre_tokenizer *pre_tokenizer);
gw_status gw_pre_tokenize(const gw_pre_tokenizer *pre_tokenizer, gw_pieces *pieces) GW_MUST_CHECK;

// Metaspace's settings, of the pre-tokenizer and of the decoder.
gw_status gw_metaspace_read(const char *path, const json_t *json, gw_pre_step *out, bool *split) GW_MUST_CHECK;

// normalizer.c: the "normalizer" of a tokenizer.json: steps that change a text before it is cut.

typedef struct {
    enum {
        GW_NORMALIZE_STRIP,
        GW_NORMALIZE_REPLACE,
        GW_NORMALIZE_PREPEND,
        GW_NORMALIZE_LOWER_CASE,
        GW_NORMALIZE_FORM,
        GW_NORMALIZE_STRIP_ACCENTS, // drops marks; `left`: only those that take no room
        GW_NORMALIZE_CLEAN,         // BERT's: control characters go, white space becomes a space
        GW_NORMALIZE_SPACE_CHINESE, // BERT's: spaces around Chinese characters
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

// From the value of "normalizer", which may be null. Free the normalizer, also after failure.
gw_status gw_normalizer_read(const char *path, const json_t *json, gw_normalizer *out) GW_MUST_CHECK;
void gw_normalizer_free(gw_normalizer *normalizer);

// Memory of one thread. Zero-initialise.
typedef struct {
    gw_string texts[2];
    gw_regex_scratch regex;
} gw_normalizer_scratch;
void gw_normalizer_scratch_free(gw_normalizer_scratch *scratch);

// Appends the text, which is valid UTF-8, as it is after all steps. *trimmed: something was stripped from its front.
gw_status gw_normalize(const gw_normalizer *normalizer, gw_normalizer_scratch *scratch, const char *text,
                       int64_t length, gw_string *out, bool *trimmed) GW_MUST_CHECK;

// word_models.c: the "WordPiece" model of a tokenizer.json, BERT's: words to ids, as the `tokenizers` package finds
// them.
//
// A word is cut from left to right into the longest tokens of the vocabulary; all but the first are looked for with a
// prefix ("##"). Where nothing fits, or the word has more characters than the model allows, the whole word is the
// unknown token.

typedef struct {
    gw_id_vocabulary vocabulary;
    int32_t unknown; // -1: none
    char *prefix;
    int64_t prefix_length;
    int64_t longest;         // bytes of the longest token
    int64_t most_characters; // of a word
} gw_wordpiece_model;

// Free the model, also after failure.
gw_status gw_wordpiece_model_read(const char *path, const json_t *json, gw_wordpiece_model *out) GW_MUST_CHECK;
void gw_wordpiece_model_free(gw_wordpiece_model *model);
// Appends the tokens of a word of valid UTF-8. `key` is memory to look in.
gw_status gw_wordpiece_model_add(const gw_wordpiece_model *model, gw_string *key, const char *word, int64_t length,
                                 gw_bpe_words *words) GW_MUST_CHECK;

// The "Unigram" model of a tokenizer.json: words to ids, as the `tokenizers` package finds them.
//
// Sums are of double precision, and every token takes part with its score, special ones too. A run of unknown
// characters is one token: the one with that text, if the vocabulary has it, else its bytes ("<0x41>") where
// byte_fallback is set, else the unknown token.

typedef struct {
    char **texts; // [size]; owned
    int32_t size;
    gw_text_index index;
    gw_unigram unigram;
    int32_t unknown; // -1: none
    bool byte_fallback;
    int32_t byte_ids[256]; // -1: none
} gw_unigram_model;

// Free the model, also after failure.
gw_status gw_unigram_model_read(const char *path, const json_t *json, gw_unigram_model *out) GW_MUST_CHECK;
void gw_unigram_model_free(gw_unigram_model *model);
// Appends the tokens of a word of valid UTF-8.
gw_status gw_unigram_model_add(const gw_unigram_model *model, gw_unigram_path *path, const char *word, int64_t length,
                               gw_bpe_words *words) GW_MUST_CHECK;

// decoder.c: the "decoder" of a tokenizer.json: the texts of tokens to the text that they stand for.

typedef struct {
    enum {
        GW_DECODE_FUSE,          // all tokens become one
        GW_DECODE_BYTES,         // GPT-2's letters become bytes, all tokens one
        GW_DECODE_SUFFIX,        // `content` at the end of words becomes a space, none after the last
        GW_DECODE_METASPACE,     // `content` becomes a space; `front`: not that before the first token
        GW_DECODE_BYTE_FALLBACK, // tokens "<0x41>" become bytes
        GW_DECODE_REPLACE,       // `pattern` becomes `content`
        GW_DECODE_WORDPIECE, // `content` before later tokens goes, others get a space; `cleanup`: " ." becomes "." ..
        GW_DECODE_STRIP      // up to `start` and `stop` times `content` goes from both ends of each token
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

// From the value of "decoder", which may be null: then tokens are joined by spaces. Free also after failure.
gw_status gw_decoder_read(const char *path, const json_t *json, gw_decoder *out) GW_MUST_CHECK;
void gw_decoder_free(gw_decoder *decoder);
// The steps, one after the other, on pieces of text that are the tokens; what is left of them is appended.
gw_status gw_decode_pieces(const gw_decoder *decoder, gw_pieces *pieces, gw_string *out) GW_MUST_CHECK;

// `root` is what the bytes say.
gw_status gw_pipeline_read(const char *path, const json_t *root, const char *bytes, int64_t length,
                           gw_tokenizer **out) GW_MUST_CHECK;

#endif
