// SPDX-License-Identifier: MIT
// Exact byte-pair encoding of a word of n bases in O(n): of all neighbouring pairs the one whose merge comes first is
// merged, the leftmost first where one merge applies several times, until no pair has a merge.
//
// A merge only makes pairs that hold the new token, and those merge later than it was made. So the merges that wait are
// taken in one sweep over the ids, from a list of places per merged token and a bit for each list that may hold some.
// Places of one merge never overlap, except in runs of a token that merges with itself: a run is merged as a whole,
// from its left end.
//
// A span of bases that is one token holds the token at its first and last place, so that both neighbours of a span are
// found without links. Place 0 and place n + 1 hold [PAD], which has no merges.
#include "base/memory.h"
#include "text/vocabulary.h"

#include <stdlib.h>

enum { NOT_WAITING = INT32_MIN, END = -1 };

struct gw_encoder {
    const gw_tokenizer *tokenizer;
    int32_t *width;    // [size] places a token takes: its bases, 1 for specials
    int32_t *first;    // [size] first waiting place of the merge that makes this token, or END
    uint64_t *waiting; // [size / 64 + 1] bits: the list may hold places
    int32_t words;
    int64_t capacity; // places of each array below
    int32_t *token;   // at the first and last place of a span
    int32_t *next;    // in the list; read at the first place of the left span of a pair
    int32_t *before;  // in the list; ~(merged token) for the first of a list; NOT_WAITING
};

gw_status gw_encoder_new(const gw_tokenizer *tokenizer, gw_encoder **out) {
    gw_encoder *e = *out = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    e->tokenizer = tokenizer;
    e->words = tokenizer->size / 64 + 1;
    e->width = gw_alloc(tokenizer->size, sizeof *e->width);
    e->first = gw_alloc(tokenizer->size, sizeof *e->first);
    e->waiting = gw_alloc(e->words, sizeof *e->waiting);
    if (!e->width || !e->first || !e->waiting) {
        gw_encoder_free(e);
        *out = NULL;
        return GW_ERR_MEMORY;
    }
    for (int32_t i = 0; i < tokenizer->size; i++) {
        e->width[i] = i < GW_SPECIAL_TOKENS ? 1 : tokenizer->bases[i];
        e->first[i] = END;
    }
    return GW_OK;
}

void gw_encoder_free(gw_encoder *encoder) {
    if (!encoder) return;
    free(encoder->width);
    free(encoder->first);
    free(encoder->waiting);
    free(encoder->token);
    free(encoder->next);
    free(encoder->before);
    free(encoder);
}

static gw_status make_room(gw_encoder *e, int64_t places) {
    if (places <= e->capacity) return GW_OK;
    int64_t tokens = e->capacity, nexts = e->capacity, befores = e->capacity;
    e->capacity = 0; // nothing is usable unless all three grow
    GW_TRY(gw_reserve(&e->token, &tokens, places, sizeof *e->token));
    GW_TRY(gw_reserve(&e->next, &nexts, places, sizeof *e->next));
    GW_TRY(gw_reserve(&e->before, &befores, places, sizeof *e->before));
    e->capacity = tokens;
    return GW_OK;
}

// Puts the pair whose left span starts at `place` into the list of `merged`; 0 stands for no merge.
static inline void wait_for(gw_encoder *e, int32_t place, int32_t merged) {
    if (merged == 0) {
        e->before[place] = NOT_WAITING;
        return;
    }
    const int32_t first = e->first[merged];
    e->next[place] = first;
    e->before[place] = ~merged;
    if (first != END) e->before[first] = place;
    e->first[merged] = place;
    e->waiting[merged >> 6] |= 1ull << (merged & 63);
}

static inline void stop_waiting(gw_encoder *e, int32_t place) {
    const int32_t before = e->before[place], next = e->next[place];
    if (before == NOT_WAITING) return;
    if (before >= 0) e->next[before] = next;
    else e->first[~before] = next;
    if (next != END) e->before[next] = before;
    e->before[place] = NOT_WAITING;
}

// The spans [place, middle) and [middle, end) become one of `merged`.
static inline void merge_at(gw_encoder *e, int32_t place, int32_t middle, int32_t end, int32_t merged) {
    const int32_t left = e->token[place - 1], right = e->token[end];
    const int32_t left_place = place - e->width[left];
    stop_waiting(e, left_place);
    stop_waiting(e, place);
    stop_waiting(e, middle);
    e->token[place] = e->token[end - 1] = merged;
    wait_for(e, left_place, gw_merged_token(e->tokenizer, left, merged));
    wait_for(e, place, gw_merged_token(e->tokenizer, merged, right));
}

// Merges every pair that waits for `merged`.
static void merge_all(gw_encoder *e, int32_t merged) {
    const int32_t left = e->tokenizer->parts[merged][0], right = e->tokenizer->parts[merged][1];
    const int32_t left_width = e->width[left], width = e->width[merged];
    while (e->first[merged] != END) {
        int32_t place = e->first[merged];
        if (left != right) {
            merge_at(e, place, place + left_width, place + width, merged);
            continue;
        }
        while (e->token[place - 1] == left) place -= left_width; // to the left end of the run
        for (; e->token[place] == left && e->token[place + left_width] == left; place += width)
            merge_at(e, place, place + left_width, place + width, merged);
    }
}

// [UNK] for what is no nucleotide letter: one for a whole UTF-8 character, whose bytes after the first give [PAD].
static inline int32_t token_of_byte(uint8_t byte) {
    const int32_t letter = gw_letter_ids[byte];
    return letter || (byte & 0xC0) == 0x80 ? letter : GW_TOKEN_UNK;
}

// Letters of the text into places 1 .. ; returns their number.
static int32_t place_letters(gw_encoder *e, const char *bases, int64_t length) {
    int32_t places = 0;
    e->token[0] = GW_TOKEN_PAD;
    e->before[0] = NOT_WAITING;
    for (int64_t i = 0; i < length; i++) {
        const int32_t letter = token_of_byte((uint8_t)bases[i]);
        if (letter != GW_TOKEN_PAD) e->token[++places] = letter;
    }
    e->token[places + 1] = GW_TOKEN_PAD;
    for (int32_t p = places; p >= 1; p--) wait_for(e, p, gw_merged_token(e->tokenizer, e->token[p], e->token[p + 1]));
    return places;
}

gw_status gw_encode(gw_encoder *encoder, const char *bases, int64_t length, const int32_t **tokens, int64_t *count) {
    if (length > INT32_MAX - 2)
        return gw_fail(GW_ERR_RANGE, "a sequence of %lld bases, expected at most %d", (long long)length, INT32_MAX - 2);
    GW_TRY(make_room(encoder, length + 2));
    const int32_t places = place_letters(encoder, bases, length);
    for (int32_t w = 0; w < encoder->words; w++)
        while (encoder->waiting[w]) {
            const int bit = __builtin_ctzll(encoder->waiting[w]);
            merge_all(encoder, w * 64 + bit);
            encoder->waiting[w] &= ~(1ull << bit);
        }
    int32_t written = 0; // the tokens move to the front of their own array, never past a place still to be read
    for (int32_t p = 1; p <= places;) {
        const int32_t token = encoder->token[p];
        encoder->token[written++] = token;
        p += encoder->width[token];
    }
    *tokens = encoder->token;
    *count = written;
    return GW_OK;
}
