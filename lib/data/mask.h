// SPDX-License-Identifier: MIT
// Masked-token prediction (BERT): which tokens of an example are to be predicted, and what stands in their place.
//
// Of the n tokens that may be masked, round(rate n) are chosen, at least one: 80 % become [MASK], 10 % a random token,
// 10 % stay. Special tokens are neither chosen nor used as replacements, nor are tokens of DNA that hold an N or no
// base. Of whole words (BERT's later releases, RoBERTa's WWM) all tokens of a word are chosen or none.
#ifndef GW_DATA_MASK_H
#define GW_DATA_MASK_H

#include "base/random.h"
#include "base/status.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
