// SPDX-License-Identifier: MIT
// A bare SentencePiece .model as a tokenizer: ids as the sentencepiece package gives them, nothing around a text.
#include "base/memory.h"
#include "text/kind.h"
#include "text/sentencepiece/sentencepiece.h"

#include <stdlib.h>

typedef struct {
    const gw_tokenizer *tokenizer;
    gw_sentencepiece_encoder *encoder;
} spm_scratch;

static void free_state(void *state) {
    gw_sentencepiece_free(state);
}

static void scratch_free(void *scratch) {
    spm_scratch *s = scratch;
    if (!s) return;
    gw_sentencepiece_encoder_free(s->encoder);
    free(s);
}

static gw_status scratch_new(const gw_tokenizer *tokenizer, void **out) {
    spm_scratch *s = *out = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->tokenizer = tokenizer;
    const gw_status status = gw_sentencepiece_encoder_new(tokenizer->state, &s->encoder);
    if (status == GW_OK) return GW_OK;
    scratch_free(s);
    *out = NULL;
    return status;
}

static gw_status encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    spm_scratch *s = scratch;
    GW_TRY(gw_sentencepiece_encode(s->encoder, text, length, &out->tokens, &out->count));
    out->unknown = gw_sentencepiece_unknown(s->encoder);
    return GW_OK;
}

// Control pieces are invisible; the other special ones but unknown text, which is a piece of the text, go here.
static gw_status decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) {
    int32_t *kept = gw_alloc(count, sizeof *kept);
    int64_t n = 0;
    for (int64_t i = 0; kept && i < count; i++)
        if (!tokenizer->special[tokens[i]] || tokens[i] == tokenizer->specials[GW_SPECIAL_UNK]) kept[n++] = tokens[i];
    const gw_status status = kept ? gw_sentencepiece_decode(tokenizer->state, kept, n, out) : GW_ERR_MEMORY;
    free(kept);
    return status;
}

static const gw_tokenizer_kind spm_kind = {
    .file = "spiece.model",
    .transformers = "BigBirdTokenizer",
    .free = free_state,
    .scratch_new = scratch_new,
    .scratch_free = scratch_free,
    .encode = encode,
    .decode = decode,
};

static gw_status fill(const gw_sentencepiece *model, gw_tokenizer *t) {
    for (int32_t i = 0; i < t->size; i++) {
        const gw_piece_kind kind = gw_sentencepiece_kind(model, i);
        t->texts[i] = gw_strdup(gw_sentencepiece_piece(model, i));
        if (!t->texts[i]) return GW_ERR_MEMORY;
        t->special[i] = kind == GW_PIECE_CONTROL || kind == GW_PIECE_UNKNOWN;
    }
    const gw_sentencepiece_ids named = gw_sentencepiece_named(model);
    t->specials[GW_SPECIAL_PAD] = named.pad;
    t->specials[GW_SPECIAL_UNK] = named.unk;
    t->specials[GW_SPECIAL_CLS] = gw_sentencepiece_find(model, "[CLS]");
    t->specials[GW_SPECIAL_SEP] = gw_sentencepiece_find(model, "[SEP]");
    t->specials[GW_SPECIAL_MASK] = gw_sentencepiece_find(model, "[MASK]");
    return GW_OK;
}

gw_status gw_tokenizer_spm_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) {
    *out = NULL;
    gw_sentencepiece *model;
    GW_TRY(gw_sentencepiece_parse(path, bytes, length, &model));
    gw_tokenizer *tokenizer;
    GW_TRY(gw_tokenizer_new(&spm_kind, model, gw_sentencepiece_size(model), &tokenizer));
    gw_status status = fill(model, tokenizer);
    if (status == GW_OK) status = gw_tokenizer_finish(tokenizer, path, bytes, length);
    if (status == GW_OK) *out = tokenizer;
    else gw_tokenizer_free(tokenizer);
    return status;
}
