// SPDX-License-Identifier: MIT
// Bases as sequences of single-base tokens with special tokens, [CLS] ... [SEP], as `score` and `predict` make them
// from a window.
#ifndef GW_DATA_BATCH_H
#define GW_DATA_BATCH_H

#include "base/batch.h"
#include "base/random.h"
#include "base/status.h"
#include "data/pack.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BASE_SPECIALS = 2 }; // most special tokens of a sequence

typedef struct {
    int32_t of[256]; // token of each letter, in either case; other letters have the token of N
    gw_frame frame;
} gw_base_tokens;

// Fails for tokenizers with tokens of several bases.
gw_status gw_base_tokens_make(gw_base_tokens *tokens, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Appends a sequence with the special tokens of `frame` to a stream, which must have the capacity. Returns the row of
// the first base.
int64_t gw_base_tokens_append(const gw_base_tokens *tokens, gw_rows *stream, const gw_frame *frame, const char *bases,
                              int64_t count);

// Masked-token prediction (BERT): choice of the tokens to predict, and their replacements.
//
// Of the n tokens that may be masked, round(rate n) are chosen, at least one: 80 % become [MASK], 10 % a random token,
// and 10 % stay. Special tokens are neither chosen nor used as replacements; the same holds for DNA tokens with an N or
// without bases. With whole-word masking (BERT's later releases, RoBERTa's WWM) all tokens of a word are chosen, or
// none.

typedef struct {
    bool *maskable;    // [vocabulary]
    int32_t *ordinary; // [ordinary_count] the maskable tokens
    bool *continues;   // [vocabulary] tokens that continue the word of the token before; NULL: every token is a word
    int32_t vocabulary, ordinary_count;
    int32_t mask; // [MASK]
    double rate;
} gw_masker;

gw_status gw_masker_make(gw_masker *masker, const gw_tokenizer *tokenizer, double rate) GW_MUST_CHECK;
// Switches to whole words. A token continues a word if it begins with "##", or if it lacks "Ġ" (byte-level) or "▁"
// (SentencePiece), depending on the vocabulary. Tokenizers without such marks, as for DNA, are GW_ERR_UNSUPPORTED.
gw_status gw_masker_take_words(gw_masker *masker, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
void gw_masker_free(gw_masker *masker);
static inline bool gw_maskable(const gw_masker *masker, int32_t token) {
    return token >= 0 && token < masker->vocabulary && masker->maskable[token];
}

// Most tokens that gw_mask() chooses from `count` tokens.
int64_t gw_mask_most(const gw_masker *masker, int64_t count);
// Masks token[count] in place. row[i] is the index of the i-th chosen token, ascending, and label[i] its original
// token; both have the capacity gw_mask_most(count). Returns the number of chosen tokens. With whole words it may be
// smaller, because a word that is longer than the missing number is not chosen.
int64_t gw_mask(const gw_masker *masker, gw_random *random, int32_t *token, int64_t count, int32_t *row,
                int32_t *label);

// Examples end to end in a batch: [CLS] A [SEP] B [SEP], with the tokens to predict.

enum { GW_PAIR_SPECIALS = 3 }; // special tokens of an example

// Streams and row sets of examples in a batch.
typedef struct {
    int tokens;                    // a stream with segments: 0 up to the first [SEP], then 1
    int masked;                    // a row set of the tokens to predict, in ascending order
    int pairs;                     // a row set with one row for each sequence and the pair's label
    int32_t classifier, separator; // [CLS] and [SEP]; -1: none
    bool one_segment;              // the model has one segment: B is in segment 0 too
    int globals;                   // a stream of global tokens: one for [CLS], and one for each sentence
    int64_t most_globals;          // of a sequence; 0: no global tokens
    int predicted, encoded;        // row sets of these, if sentences are predicted
    int64_t most_contrasts;        // of a sequence; 0: no predicted sentences
} gw_example_format;

// Sets the special tokens.
gw_status gw_example_format_make(gw_example_format *format, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Allocates a batch for examples. Free it with gw_batch_free().
gw_status gw_example_batch_make(const gw_example_format *format, gw_batch *batch, int64_t most_sequences,
                                int64_t most_tokens, int64_t most_masked) GW_MUST_CHECK;

// Most global tokens, and most predicted sentences, in a batch of this number of tokens.
int64_t gw_example_most_globals(const gw_example_format *format, int64_t most_tokens);
int64_t gw_example_most_contrasts(const gw_example_format *format, int64_t most_tokens);
// The size of an example. tokens: without special tokens.
typedef struct {
    int64_t tokens, masked, globals, sequences, contrasts;
} gw_example_size;
// The size of a pair without masked tokens.
gw_example_size gw_example_size_of(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair);
// Whether an example of this size fits into the batch.
bool gw_example_fits(const gw_example_format *format, const gw_batch *batch, gw_example_size size);
// Appends a pair without masking; it must fit. An empty B gives [CLS] A [SEP].
void gw_example_append(const gw_example_format *format, gw_batch *batch, const gw_pack *pack, const gw_pair *pair);
// Masks the last sequence.
void gw_example_mask(const gw_example_format *format, gw_batch *batch, const gw_masker *masker, gw_random *random);

// Sentences with an encoding to predict (the contrastive loss of ETC; Ainslie et al., 2020, section 3.3). All tokens of
// some sentences of an example are masked, except their global tokens. Each of these sentences also is a separate
// sequence, in which its global token reads only this sentence. The loss compares the masked sentence's state with the
// state in the separate sequence.
//
// The paper leaves some details open. Here, 15 % of an example's sentences are chosen, rounded, if it has seven or
// more. A separate sentence has [CLS] ... [SEP]. The global token of a masked sentence embeds as the mask.

enum { GW_CONTRAST_SENTENCES = 7 }; // fewest sentences of a document

// The draws for one example. Zero-initialise; free with gw_contrast_free().
typedef struct {
    gw_rows globals; // of the example
    int64_t *chosen; // [count] chosen globals, ascending
    int64_t count;
    int32_t *tokens; // [most] of the example, before masking
    int64_t most;
} gw_contrast;

// For examples of up to `most` tokens, special tokens included.
gw_status gw_contrast_make(gw_contrast *contrast, const gw_example_format *format, int64_t most) GW_MUST_CHECK;
void gw_contrast_free(gw_contrast *contrast);
// Most masked sentences of an example.
int64_t gw_contrast_most(const gw_example_format *format);
// Draws sentences of a pair. *size is the pair's size; it grows by that of the sentences.
void gw_contrast_draw(gw_contrast *contrast, const gw_example_format *format, const gw_pack *pack, const gw_pair *pair,
                      gw_random *random, gw_example_size *size);
// Masks them in the last sequence of the batch, which must be the pair.
void gw_contrast_mask(gw_contrast *contrast, const gw_example_format *format, gw_batch *batch, int32_t mask);
// Appends a sequence for each. There are then as many encoded rows as predicted rows.
void gw_contrast_append(const gw_contrast *contrast, const gw_example_format *format, gw_batch *batch);

#endif
