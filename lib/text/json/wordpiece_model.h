// SPDX-License-Identifier: MIT
// The "WordPiece" model of a tokenizer.json, BERT's: words to ids, as the `tokenizers` package finds them.
//
// A word is cut from left to right into the longest tokens of the vocabulary; all but the first are looked for with a
// prefix ("##"). Where nothing fits, or the word has more characters than the model allows, the whole word is the
// unknown token.
#ifndef GW_TEXT_JSON_WORDPIECE_MODEL_H
#define GW_TEXT_JSON_WORDPIECE_MODEL_H

#include "base/string.h"
#include "text/json/bpe_model.h"
#include "text/json/vocabulary_read.h"

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

#endif
