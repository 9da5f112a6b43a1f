// SPDX-License-Identifier: MIT
// Bases as sequences of tokens of one base each, in their frame, [CLS] ... [SEP], as `score` and `predict` make them of
// a window.
#ifndef GW_DATA_BATCH_H
#define GW_DATA_BATCH_H

#include "base/batch.h"
#include "base/random.h"
#include "base/status.h"
#include "data/pack.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BASE_SPECIALS = 2 }; // special tokens of a sequence, at most

typedef struct {
    int32_t of[256]; // the token of a letter, of either case; of other letters that of N
    gw_frame frame;
} gw_base_tokens;

// Tokenizers with tokens of several bases are an error.
gw_status gw_base_tokens_make(gw_base_tokens *tokens, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Appends a sequence in a frame, the tokens' own or one that says more of the sequence, to a stream that has room for
// it; returns the row of its first base.
int64_t gw_base_tokens_append(const gw_base_tokens *tokens, gw_rows *stream, const gw_frame *frame, const char *bases,
                              int64_t count);

// Masked-token prediction (BERT): which tokens of an example are to be predicted, and what stands in their place.
//
// Of the n tokens that may be masked, round(rate n) are chosen, at least one: 80 % become [MASK], 10 % a random token,
// 10 % stay. Special tokens are neither chosen nor used as replacements, nor are tokens of DNA that hold an N or no
// base. Of whole words (BERT's later releases, RoBERTa's WWM) all tokens of a word are chosen or none.

typedef struct {
    bool *maskable;    // [vocabulary]
    int32_t *ordinary; // [ordinary_count] the maskable tokens
    bool *continues;   // [vocabulary] tokens that go on with the word of the one before; NULL: a token is a word
    int32_t vocabulary, ordinary_count;
    int32_t mask; // [MASK]
    double rate;
} gw_masker;

gw_status gw_masker_make(gw_masker *masker, const gw_tokenizer *tokenizer, double rate) GW_MUST_CHECK;
// Masks whole words from now on: "##" goes on with a word, and what has no "Ġ" (byte-level) or "▁" (SentencePiece) in
// front, whichever the vocabulary writes; tokenizers without such marks, as of DNA, are GW_ERR_UNSUPPORTED.
gw_status gw_masker_take_words(gw_masker *masker, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
void gw_masker_free(gw_masker *masker);
static inline bool gw_maskable(const gw_masker *masker, int32_t token) {
    return token >= 0 && token < masker->vocabulary && masker->maskable[token];
}

// Most tokens that gw_mask() chooses among `count`.
int64_t gw_mask_most(const gw_masker *masker, int64_t count);
// Masks token[count] in place. row[i] is the index of the i-th chosen token, ascending, label[i] what stood there; both
// have room for gw_mask_most(count). Returns the number chosen: of whole words it may be less, since a word that is
// longer than what is still wanted stays.
int64_t gw_mask(const gw_masker *masker, gw_random *random, int32_t *token, int64_t count, int32_t *row,
                int32_t *label);

// Examples laid end to end in a batch: [CLS] A [SEP] B [SEP], with the tokens to be predicted.

enum { GW_PAIR_SPECIALS = 3 }; // special tokens of an example

// Where examples go in a batch.
typedef struct {
    int tokens;                    // a stream, with segments: 0 up to the first [SEP], then 1
    int masked;                    // a row set, in ascending order, with the tokens to predict
    int pairs;                     // a row for each sequence, with the pair's label
    int32_t classifier, separator; // [CLS] and [SEP]; -1: none
    bool one_segment;              // the model knows one: B is of segment 0 too
    int globals;                   // a stream of global tokens: one of no sentence, which is [CLS], and one a sentence
    int64_t most_globals;          // of a sequence; 0: there are none
    int predicted, encoded;        // row sets of these, where sentences are to be predicted (data/batch.h)
    int64_t most_contrasts;        // of a sequence; 0: none are
} gw_example_format;

// Sets the special tokens.
gw_status gw_example_format_make(gw_example_format *format, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Room for examples; gw_batch_free() it.
gw_status gw_example_batch_make(const gw_example_format *format, gw_batch *batch, int64_t most_sequences,
                                int64_t most_tokens, int64_t most_masked) GW_MUST_CHECK;

// Room for global tokens, and for predicted sentences, in a batch of so many tokens, at most.
int64_t gw_example_most_globals(const gw_example_format *format, int64_t most_tokens);
int64_t gw_example_most_contrasts(const gw_example_format *format, int64_t most_tokens);
// What an example needs. tokens: special ones not counted.
typedef struct {
    int64_t tokens, masked, globals, sequences, contrasts;
} gw_example_size;
// Of a pair, with nothing masked.
gw_example_size gw_example_size_of(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair);
// Whether that fits beside the others.
bool gw_example_fits(const gw_example_format *format, const gw_batch *batch, gw_example_size size);
// Appends the pair, nothing masked yet; it fits. An empty B leaves [CLS] A [SEP].
void gw_example_append(const gw_example_format *format, gw_batch *batch, const gw_pack *pack, const gw_pair *pair);
// Masks the last sequence.
void gw_example_mask(const gw_example_format *format, gw_batch *batch, const gw_masker *masker, gw_random *random);

// Sentences whose encoding is to be predicted (the contrastive loss of ETC; Ainslie et al., 2020, section 3.3). Some
// sentences of an example are masked whole, all but their global tokens, and each stands in a sequence of its own too,
// where its global token sees it alone: that is what the masked one's state is held to.
//
// Ours, where the paper is silent: 15 % of an example's sentences, rounded, of those with seven or more; a sentence of
// its own stands in [CLS] ... [SEP]; a masked one's global token embeds as the mask.

enum { GW_CONTRAST_SENTENCES = 7 }; // least of a document

// The draws of one example. Zero-initialise; gw_contrast_free() it.
typedef struct {
    gw_rows globals; // of the example
    int64_t *chosen; // [count] of these, ascending
    int64_t count;
    int32_t *tokens; // [most] of the example, before they are masked
    int64_t most;
} gw_contrast;

// For examples of up to so many tokens, special ones included.
gw_status gw_contrast_make(gw_contrast *contrast, const gw_example_format *format, int64_t most) GW_MUST_CHECK;
void gw_contrast_free(gw_contrast *contrast);
// Most sentences that are masked of an example.
int64_t gw_contrast_most(const gw_example_format *format);
// Draws a pair's sentences; *size, that of the pair, grows by their size.
void gw_contrast_draw(gw_contrast *contrast, const gw_example_format *format, const gw_pack *pack, const gw_pair *pair,
                      gw_random *random, gw_example_size *size);
// Masks them in the last sequence of the batch, which is the pair.
void gw_contrast_mask(gw_contrast *contrast, const gw_example_format *format, gw_batch *batch, int32_t mask);
// Appends a sequence for each, after which there are as many encoded rows as predicted ones.
void gw_contrast_append(const gw_contrast *contrast, const gw_example_format *format, gw_batch *batch);

#endif
