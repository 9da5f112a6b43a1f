// SPDX-License-Identifier: MIT
// Encoding functions for all kinds of tokenizers: upper case, special tokens around the text, the count of unknown
// characters, and token strings.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "text/kind.h"
#include "text/tokenizer.h"

#include <stdlib.h>
#include <string.h>

struct gw_encoder {
    const gw_tokenizer *tokenizer;
    void *scratch; // of the kind
    bool keep_case;
    gw_string upper;
    int32_t *tokens, *segments; // with special tokens
    int64_t tokens_capacity, segments_capacity, count;
    int32_t *first; // tokens of the first text of two
    int64_t first_capacity;
};

gw_status gw_encoder_new(const gw_tokenizer *tokenizer, gw_encoder **out) {
    *out = NULL;
    gw_encoder *encoder = gw_alloc(1, sizeof *encoder);
    if (!encoder) return GW_ERR_MEMORY;
    encoder->tokenizer = tokenizer;
    const gw_status status = tokenizer->kind->scratch_new(tokenizer, &encoder->scratch);
    if (status == GW_OK) *out = encoder;
    else free(encoder);
    return status;
}

// Says once what share of the characters became [UNK], where it is more than 1 %; of one alone, such as an N that is
// asked for by itself, nothing is said.
static void warn_unknown(const gw_tokenizer *tokenizer) {
    gw_token_counts *counts = tokenizer->counts;
    const int64_t characters = atomic_load(&counts->characters), unknown = atomic_load(&counts->unknown);
    if (unknown < 2 || unknown * 100 <= characters || atomic_exchange(&counts->warned, true)) return;
    gw_warn("%s turned %.1f %% of the bases into %s: its vocabulary lacks these letters; if they are in lower case, "
            "convert them to upper case first",
            tokenizer->source ? tokenizer->source : "the tokenizer", 100.0 * (double)unknown / (double)characters,
            tokenizer->specials[GW_SPECIAL_UNK] < 0 ? "nothing"
                                                    : tokenizer->texts[tokenizer->specials[GW_SPECIAL_UNK]]);
}

void gw_encoder_free(gw_encoder *encoder) {
    if (!encoder) return;
    if (encoder->tokenizer->is_dna) warn_unknown(encoder->tokenizer);
    encoder->tokenizer->kind->scratch_free(encoder->scratch);
    gw_string_free(&encoder->upper);
    free(encoder->tokens);
    free(encoder->segments);
    free(encoder->first);
    free(encoder);
}

void gw_encoder_keep_case(gw_encoder *encoder, bool keep) {
    encoder->keep_case = keep;
}

static gw_status encode(gw_encoder *encoder, const char *text, int64_t length, gw_encoded *out) {
    const gw_tokenizer *tokenizer = encoder->tokenizer;
    if (tokenizer->is_upper && !encoder->keep_case) {
        gw_string_clear(&encoder->upper);
        gw_string_append(&encoder->upper, text, length);
        GW_TRY(gw_string_status(&encoder->upper));
        char *upper = encoder->upper.data;
        for (int64_t i = 0; i < length; i++)
            upper[i] = (char)(upper[i] >= 'a' && upper[i] <= 'z' ? upper[i] - 32 : upper[i]);
        text = upper;
    }
    GW_TRY(tokenizer->kind->encode(encoder->scratch, text, length, out));
    if (out->unknown > 0) atomic_fetch_add(&tokenizer->counts->unknown, out->unknown);
    atomic_fetch_add(&tokenizer->counts->characters, length);
    return GW_OK;
}

gw_status gw_encode(gw_encoder *encoder, const char *text, int64_t length, const int32_t **tokens, int64_t *count) {
    gw_encoded encoded = {0};
    GW_TRY(encode(encoder, text, length, &encoded));
    *tokens = encoded.tokens;
    *count = encoded.count;
    return GW_OK;
}

static gw_status append(gw_encoder *encoder, const int32_t *tokens, int64_t count, int32_t segment) {
    GW_TRY(gw_reserve(&encoder->tokens, &encoder->tokens_capacity, encoder->count + count, sizeof *encoder->tokens));
    GW_TRY(
        gw_reserve(&encoder->segments, &encoder->segments_capacity, encoder->count + count, sizeof *encoder->segments));
    if (count > 0) memcpy(encoder->tokens + encoder->count, tokens, (size_t)count * sizeof *tokens);
    for (int64_t i = 0; i < count; i++) encoder->segments[encoder->count + i] = segment;
    encoder->count += count;
    return GW_OK;
}

// The tokenizer's template; [CLS] A [SEP] B [SEP] where it has none, but these tokens.
static gw_template template_of(const gw_tokenizer *t, bool pair) {
    const gw_template own = pair ? t->pair : t->single;
    const int32_t first = t->specials[GW_SPECIAL_CLS], last = t->specials[GW_SPECIAL_SEP];
    for (int i = 0; i < own.count; i++)
        if (own.pieces[i].what == GW_PIECE_TOKEN) return own;
    if (first < 0 || last < 0) return own;
    return (gw_template){{{GW_PIECE_TOKEN, first, 0},
                          {GW_PIECE_A, 0, 0},
                          {GW_PIECE_TOKEN, last, 0},
                          {GW_PIECE_B, 0, 1},
                          {GW_PIECE_TOKEN, last, 1}},
                         pair ? 5 : 3};
}

gw_status gw_wrap_tokens(gw_encoder *encoder, const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count,
                         int64_t most, gw_wrapped *out) {
    const gw_template around = template_of(encoder->tokenizer, b != NULL);
    int64_t specials = 0;
    for (int i = 0; i < around.count; i++) specials += around.pieces[i].what == GW_PIECE_TOKEN;
    if (most <= specials)
        return gw_fail(GW_ERR_RANGE, "a text and %lld special tokens do not fit %lld tokens", (long long)specials,
                       (long long)most);
    *out = (gw_wrapped){.cut = a_count + b_count > most - specials};
    const int64_t capacity = most - specials;
    if (a_count + b_count > capacity) { // the longer one is cut down to the other, then both
        int64_t *shorter = a_count <= b_count ? &a_count : &b_count, *longer = a_count <= b_count ? &b_count : &a_count;
        *shorter = gw_min(*shorter, capacity / 2);
        *longer = capacity - *shorter;
    }
    encoder->count = 0;
    for (int i = 0; i < around.count; i++) {
        const gw_template_piece piece = around.pieces[i];
        if (piece.what == GW_PIECE_A) out->begin = encoder->count, out->own = a_count;
        if (piece.what == GW_PIECE_TOKEN) GW_TRY(append(encoder, &piece.token, 1, piece.segment));
        else
            GW_TRY(append(encoder, piece.what == GW_PIECE_A ? a : b, piece.what == GW_PIECE_A ? a_count : b_count,
                          piece.segment));
    }
    out->tokens = encoder->tokens;
    out->segments = encoder->segments;
    out->count = encoder->count;
    return GW_OK;
}

gw_status gw_encode_wrapped(gw_encoder *encoder, const char *a, int64_t a_length, const char *b, int64_t b_length,
                            int64_t most, gw_wrapped *out) {
    gw_encoded first = {0}, second = {0};
    static const int32_t none;
    GW_TRY(encode(encoder, a, a_length, &first));
    GW_TRY(gw_reserve(&encoder->first, &encoder->first_capacity, first.count + 1, sizeof *encoder->first));
    if (first.count > 0) memcpy(encoder->first, first.tokens, (size_t)first.count * sizeof *first.tokens);
    if (b) GW_TRY(encode(encoder, b, b_length, &second));
    const int32_t *const other = second.count > 0 ? second.tokens : &none;
    return gw_wrap_tokens(encoder, encoder->first, first.count, b ? other : NULL, second.count, most, out);
}

gw_status gw_encode_with_specials(gw_encoder *encoder, const char *a, int64_t a_length, const char *b, int64_t b_length,
                                  const int32_t **tokens, const int32_t **segments, int64_t *count) {
    const gw_template *around = b ? &encoder->tokenizer->pair : &encoder->tokenizer->single;
    encoder->count = 0;
    for (int i = 0; i < around->count; i++) {
        const gw_template_piece piece = around->pieces[i];
        gw_encoded encoded = {.tokens = &piece.token, .count = 1};
        if (piece.what == GW_PIECE_A) GW_TRY(encode(encoder, a, a_length, &encoded));
        if (piece.what == GW_PIECE_B) GW_TRY(encode(encoder, b, b_length, &encoded));
        GW_TRY(append(encoder, encoded.tokens, encoded.count, piece.segment));
    }
    *tokens = encoder->tokens;
    *segments = encoder->segments;
    *count = encoder->count;
    return GW_OK;
}

// --- strings of tokens, in one array -------------------------------------------------------------------------------

static int64_t begin_of(const gw_token_strings *strings, int64_t index) {
    return index > 0 ? strings->end[index - 1] : 0;
}

gw_status gw_token_strings_add(gw_token_strings *strings, const int32_t *tokens, int64_t count) {
    const int64_t begin = begin_of(strings, strings->count);
    GW_TRY(gw_reserve(&strings->token, &strings->token_capacity, begin + count, sizeof *strings->token));
    GW_TRY(gw_reserve(&strings->end, &strings->end_capacity, strings->count + 1, sizeof *strings->end));
    if (count > 0) memcpy(strings->token + begin, tokens, (size_t)count * sizeof *tokens);
    strings->end[strings->count++] = begin + count;
    return GW_OK;
}

gw_token_string gw_token_strings_at(const gw_token_strings *strings, int64_t index) {
    const int64_t begin = begin_of(strings, index);
    return (gw_token_string){strings->token + begin, strings->end[index] - begin};
}

void gw_token_strings_cut(gw_token_strings *strings, int64_t count) {
    strings->count = count;
}

void gw_token_strings_free(gw_token_strings *strings) {
    free(strings->token);
    free(strings->end);
    *strings = (gw_token_strings){0};
}
