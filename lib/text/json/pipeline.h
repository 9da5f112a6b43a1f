// SPDX-License-Identifier: MIT
// The kind of tokenizers that a tokenizer.json of Hugging Face's `tokenizers` describes.
#ifndef GW_TEXT_JSON_PIPELINE_H
#define GW_TEXT_JSON_PIPELINE_H

#include "base/json.h"
#include "text/json/added_tokens.h"
#include "text/json/bpe_model.h"
#include "text/json/decoder.h"
#include "text/json/normalizer.h"
#include "text/json/pre_tokenizer.h"
#include "text/json/unigram_model.h"
#include "text/json/wordpiece_model.h"
#include "text/kind.h"

// text -> added tokens as they are -> normalizer -> added tokens of normalised text -> pre-tokenizer -> model
typedef struct {
    gw_normalizer normalizer;
    gw_added_tokens added;
    gw_pre_tokenizer pre_tokenizer;
    enum { GW_MODEL_BPE, GW_MODEL_UNIGRAM, GW_MODEL_WORDPIECE } kind;
    gw_bpe_model model; // of the three the kind's
    gw_unigram_model unigram;
    gw_wordpiece_model wordpiece;
    gw_decoder decoder;
    const char **decoded; // [size] what a token is decoded from: its text, or how an added one is looked for
} gw_pipeline;

// `root` is what the bytes say.
gw_status gw_pipeline_read(const char *path, const json_t *root, const char *bytes, int64_t length,
                           gw_tokenizer **out) GW_MUST_CHECK;

#endif
