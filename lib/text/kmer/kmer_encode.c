// SPDX-License-Identifier: MIT
// Looks for tokens in a text, and puts their texts together again.
#include "base/memory.h"
#include "text/kmer/kmer.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_tokenizer *tokenizer;
    int32_t *tokens;
    int64_t count, capacity, unknown;
} scratch_memory;

gw_status gw_kmer_scratch_new(const gw_tokenizer *tokenizer, void **out) {
    scratch_memory *scratch = gw_alloc(1, sizeof *scratch);
    *out = scratch;
    if (!scratch) return GW_ERR_MEMORY;
    scratch->tokenizer = tokenizer;
    return GW_OK;
}

void gw_kmer_scratch_free(void *scratch) {
    if (scratch) free(((scratch_memory *)scratch)->tokens);
    free(scratch);
}

static gw_status add(scratch_memory *s, int32_t token) {
    GW_TRY(gw_reserve(&s->tokens, &s->capacity, s->count + 1, sizeof *s->tokens));
    s->tokens[s->count++] = token;
    return GW_OK;
}

static gw_status add_unknown(scratch_memory *s, const char *text, int64_t length) {
    const int32_t unknown = s->tokenizer->specials[GW_SPECIAL_UNK];
    s->unknown += length;
    if (unknown >= 0) return add(s, unknown);
    return gw_fail(GW_ERR_UNSUPPORTED, "\"%.*s\" is not in the vocabulary, which has no unknown token",
                   (int)(length < 60 ? length : 60), text);
}

static bool is_blank(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

// The longest token that a text begins with, and its letters; -1: none.
static int32_t longest_token(const gw_kmer_vocabulary *v, const char *text, int64_t length, int64_t *letters) {
    for (*letters = length < v->longest ? length : v->longest; *letters > 0; --*letters) {
        const int32_t token = gw_text_index_find(&v->index, text, *letters);
        if (token >= 0) return token;
    }
    return -1;
}

static gw_encoded encoded(const scratch_memory *s) {
    return (gw_encoded){.tokens = s->tokens, .count = s->count, .unknown = s->unknown};
}

// What no token begins in is one unknown token, up to the next blank or token.
gw_status gw_longest_encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    scratch_memory *s = scratch;
    const gw_kmer_vocabulary *v = s->tokenizer->state;
    int64_t unknown = 0, letters;
    s->count = s->unknown = 0;
    for (int64_t at = 0; at < length; at += letters) {
        const bool blank = is_blank(text[at]);
        const int32_t token = blank ? -1 : longest_token(v, text + at, length - at, &letters);
        if (!blank && token < 0) {
            unknown++;
            letters = 1;
            continue;
        }
        if (unknown > 0) GW_TRY(add_unknown(s, text + at - unknown, unknown));
        unknown = 0;
        if (blank) letters = 1;
        else GW_TRY(add(s, token));
    }
    if (unknown > 0) GW_TRY(add_unknown(s, text + length - unknown, unknown));
    *out = encoded(s);
    return GW_OK;
}

// A word that is shorter than a k-mer is one unknown token.
static gw_status add_word(scratch_memory *s, const char *word, int64_t length) {
    const gw_kmer_vocabulary *v = s->tokenizer->state;
    const int64_t k = v->longest;
    if (length < k) return add_unknown(s, word, length);
    for (int64_t at = 0; at + k <= length; at++) {
        const int32_t token = gw_text_index_find(&v->index, word + at, k);
        GW_TRY(token >= 0 ? add(s, token) : add_unknown(s, word + at, 1));
    }
    return GW_OK;
}

gw_status gw_overlapping_encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    scratch_memory *s = scratch;
    s->count = s->unknown = 0;
    for (int64_t at = 0, end; at < length; at = end + 1) {
        for (end = at; end < length && !is_blank(text[end]);) end++;
        if (end > at) GW_TRY(add_word(s, text + at, end - at));
    }
    *out = encoded(s);
    return GW_OK;
}

// Of a k-mer behind another one only the last letter is new.
gw_status gw_overlapping_decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) {
    bool after = false;
    for (int64_t i = 0; i < count; i++) {
        const char *text = tokenizer->texts[tokens[i]];
        const bool kmer = !tokenizer->special[tokens[i]];
        gw_string_puts(out, kmer && after ? text + strlen(text) - 1 : text);
        after = kmer;
    }
    return gw_string_status(out);
}
