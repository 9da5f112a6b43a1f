// SPDX-License-Identifier: MIT
// The "Unigram" model of a tokenizer.json: words to ids, as the `tokenizers` package finds them.
//
// Sums are of double precision, and every token takes part with its score, special ones too. A run of unknown
// characters is one token: the one with that text, if the vocabulary has it, else its bytes ("<0x41>") where
// byte_fallback is set, else the unknown token.
#ifndef GW_TEXT_JSON_UNIGRAM_MODEL_H
#define GW_TEXT_JSON_UNIGRAM_MODEL_H

#include "base/json.h"
#include "text/json/bpe_model.h"
#include "text/sentencepiece/unigram.h"

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

#endif
