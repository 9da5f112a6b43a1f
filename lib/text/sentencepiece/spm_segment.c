// SPDX-License-Identifier: MIT
// The two segmentations of a normalised text into pieces: Viterbi's algorithm for unigram models, merging for BPE
// models.
#include "base/memory.h"
#include "text/sentencepiece/spm_model.h"
#include "text/sentencepiece/unigram.h"

#include <stdlib.h>
#include <string.h>

void gw_spm_put(const gw_sentencepiece *model, gw_spm_ids *out, int32_t id, const char *text, int32_t length) {
    const bool unknown = id == model->unknown;
    if (unknown && model->byte_fallback)
        for (int32_t i = length - 1; i >= 0; i--) out->ids[--out->first] = model->byte_ids[(uint8_t)text[i]];
    else if (!unknown || !out->after_unknown) out->ids[--out->first] = id;
    out->unknown += unknown && !model->byte_fallback;
    out->after_unknown = unknown;
}

// --- unigram: Viterbi's algorithm over bytes, with the sums of the last few positions and one number a byte to walk
// back

static const double RESET = 100000; // where single-precision sums start anew

// steps[end]: 0 nothing reaches this byte, k > 0 piece k - 1, -n an unknown character of n bytes.
typedef struct {
    const gw_unigram *unigram;
    int32_t *steps;
    double *sums;
    int64_t mask;     // sums[position & mask]
    int64_t frontier; // the furthest position reached
} search;

static inline void offer(search *s, int64_t end, int32_t step, double sum) {
    if (end > s->frontier) s->frontier = end;
    if (s->steps[end] != 0 && sum <= s->sums[end & s->mask]) return;
    s->steps[end] = step;
    s->sums[end & s->mask] = sum;
}

// Takes the sum at `at` from all sums that are still to be used.
static void start_anew(search *s, int64_t at) {
    const double here = s->sums[at & s->mask];
    for (int64_t i = at; i <= s->frontier; i++)
        if (i == at || s->steps[i] != 0) s->sums[i & s->mask] = (float)(s->sums[i & s->mask] - here);
}

// The sum of two single-precision numbers, taken in double and rounded, is their single-precision sum.
static inline double add(double sum, double score, bool single) {
    return single ? (double)(float)(sum + score) : sum + score;
}

static inline __attribute__((always_inline)) void sweep(search *s, const char *text, int64_t length, bool single) {
    const gw_unigram *const u = s->unigram;
    for (int64_t at = 0, character; at < length; at += character) {
        if (single && (s->sums[at & s->mask] > RESET || s->sums[at & s->mask] < -RESET)) start_anew(s, at);
        const double here = s->sums[at & s->mask];
        character = gw_utf8_length((uint8_t)text[at]);
        if (character > length - at) character = length - at;
        bool known = false;
        uint32_t node = 0;
        for (int64_t end = at; end < length && gw_byte_trie_step(&u->trie, &node, (uint8_t)text[end]);) {
            const int32_t id = u->trie.units[node].value;
            end++;
            if (id == GW_TRIE_NO_VALUE) continue;
            offer(s, end, id + 1, add(here, u->scores[id], single));
            known |= end - at == character;
        }
        if (!known) offer(s, at + character, (int32_t)-character, add(here, u->unknown_score, single));
    }
}

gw_status gw_unigram_segment(const gw_unigram *unigram, gw_unigram_path *path, const char *text, int64_t length) {
    GW_TRY(gw_reserve(&path->steps, &path->capacity, length + 1, sizeof *path->steps));
    if (!path->sums) {
        int64_t ring = 8; // more than a character or a piece has bytes
        while (ring <= unigram->longest) ring *= 2;
        path->sums = gw_alloc(ring, sizeof *path->sums);
        if (!path->sums) return GW_ERR_MEMORY;
        path->ring = ring;
    }
    memset(path->steps, 0, (size_t)(length + 1) * sizeof *path->steps);
    path->sums[0] = 0;
    search s = {unigram, path->steps, path->sums, path->ring - 1, 0};
    if (unigram->single) sweep(&s, text, length, true);
    else sweep(&s, text, length, false);
    return GW_OK;
}

void gw_unigram_free(gw_unigram *unigram) {
    gw_byte_trie_free(&unigram->trie);
    free(unigram->scores);
    free(unigram->lengths);
    *unigram = (gw_unigram){0};
}

void gw_unigram_path_free(gw_unigram_path *path) {
    free(path->steps);
    free(path->sums);
    *path = (gw_unigram_path){0};
}

// --- byte-pair encoding by scores ----------------------------------------------------------------------------------

// Byte-pair encoding by scores: of all neighbours whose texts together are a piece, those with the best score are
// merged, the leftmost first where scores are equal, until none are left. User-defined symbols never merge.
//
// Waiting merges lie in a heap; one whose sides have changed since is dropped when its turn comes. A symbol knows where
// its text ends in the trie of pieces, so that a look-up walks over its right neighbour only. Where no piece has a
// space inside, no merge crosses the begin of a word, and each word is encoded by itself.

enum { NONE = -1, MOST_DEPTH = 100 }; // depth: how often the parts of an unused piece are unused in turn
static const uint32_t NO_NODE = UINT32_MAX;

typedef struct {
    int32_t before, next;  // neighbours, or NONE
    int32_t start, length; // bytes of text; length 0: merged into its left neighbour
    uint32_t node;         // of the trie, NO_NODE where no piece begins with this text
    int32_t id;            // the piece, or model->unknown
    bool frozen;
} symbol;

typedef struct {
    uint64_t rank; // worse scores are larger, then the position
    int32_t right;
    int32_t length; // of both sides together
} merge;

// The left part that an unused piece was last merged from, in bytes, in a round.
typedef struct {
    int32_t round, left;
} unused_part;

struct gw_spm_bpe {
    const gw_sentencepiece *model;
    symbol *symbols;
    merge *heap;
    int64_t symbols_capacity, heap_capacity, heap_count;
    unused_part *parts; // by piece; NULL where no piece is unused
    int32_t round;
};

gw_status gw_spm_bpe_new(const gw_sentencepiece *model, gw_spm_bpe **out) {
    gw_spm_bpe *b = *out = gw_alloc(1, sizeof *b);
    if (!b) return GW_ERR_MEMORY;
    b->model = model;
    if (model->has_unused) b->parts = gw_alloc(model->size, sizeof *b->parts);
    if (!model->has_unused || b->parts) return GW_OK;
    gw_spm_bpe_free(b);
    *out = NULL;
    return GW_ERR_MEMORY;
}

void gw_spm_bpe_free(gw_spm_bpe *bpe) {
    if (!bpe) return;
    free(bpe->symbols);
    free(bpe->heap);
    free(bpe->parts);
    free(bpe);
}

// --- the heap of merges --------------------------------------------------------------------------------------------

// Orders floats as their bits do: a worse score gives a larger number. 0 is better than -0.
static uint32_t badness(float score) {
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    return bits & 1u << 31 ? bits : ~bits & ~(1u << 31);
}

static void sift_down(merge *heap, int64_t count, int64_t at) {
    const merge moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].rank < heap[child].rank) child++;
        if (heap[child].rank >= moved.rank) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static gw_status push(gw_spm_bpe *b, merge m) {
    GW_TRY(gw_reserve(&b->heap, &b->heap_capacity, b->heap_count + 1, sizeof *b->heap));
    int64_t at = b->heap_count++;
    for (; at > 0 && b->heap[(at - 1) / 2].rank > m.rank; at = (at - 1) / 2) b->heap[at] = b->heap[(at - 1) / 2];
    b->heap[at] = m;
    return GW_OK;
}

static merge pop(gw_spm_bpe *b) {
    const merge top = b->heap[0];
    b->heap[0] = b->heap[--b->heap_count];
    if (b->heap_count > 0) sift_down(b->heap, b->heap_count, 0);
    return top;
}

// --- symbols -------------------------------------------------------------------------------------------------------

// Where a walk from `node` over a text ends, or NO_NODE.
static uint32_t walk(const gw_byte_trie *trie, uint32_t node, const char *text, int32_t length) {
    for (int32_t i = 0; i < length && node != NO_NODE; i++)
        if (!gw_byte_trie_step(trie, &node, (uint8_t)text[i])) return NO_NODE;
    return node;
}

static int32_t piece_at(const gw_sentencepiece *model, uint32_t node) {
    const int32_t id = node == NO_NODE ? GW_TRIE_NO_VALUE : model->all.units[node].value;
    if (id == GW_TRIE_NO_VALUE) return id;
    const gw_piece_kind kind = model->pieces[id].kind;
    const bool can_stand = kind == GW_PIECE_NORMAL || kind == GW_PIECE_USER_DEFINED || kind == GW_PIECE_UNUSED;
    return can_stand ? id : GW_TRIE_NO_VALUE;
}

static gw_status consider(gw_spm_bpe *b, const char *text, int32_t left, int32_t right) {
    if (left == NONE || right == NONE) return GW_OK;
    const symbol *l = &b->symbols[left], *r = &b->symbols[right];
    if (l->frozen || r->frozen || l->node == NO_NODE) return GW_OK;
    const int32_t id = piece_at(b->model, walk(&b->model->all, l->node, text + r->start, r->length));
    if (id == GW_TRIE_NO_VALUE) return GW_OK;
    const gw_spm_piece *piece = &b->model->pieces[id];
    if (piece->kind == GW_PIECE_UNUSED) {
        b->parts[id].round = b->round;
        b->parts[id].left = l->length;
    }
    return push(b, (merge){(uint64_t)badness(piece->score) << 32 | (uint32_t)left, right, piece->length});
}

static gw_status apply(gw_spm_bpe *b, const char *text, merge m) {
    const int32_t left = (int32_t)(m.rank & UINT32_MAX);
    symbol *l = &b->symbols[left], *r = &b->symbols[m.right];
    if (l->length == 0 || r->length == 0 || l->length + r->length != m.length) return GW_OK; // changed since
    l->node = walk(&b->model->all, l->node, text + r->start, r->length);
    l->id = b->model->all.units[l->node].value;
    l->length = m.length;
    l->next = r->next;
    if (r->next != NONE) b->symbols[r->next].before = left;
    r->length = 0;
    GW_TRY(consider(b, text, l->before, left));
    return consider(b, text, left, l->next);
}

// --- what comes out ------------------------------------------------------------------------------------------------

// An unused piece stands for the parts it was merged from; from right to left, as gw_spm_put wants them.
static void put(const gw_spm_bpe *b, gw_spm_ids *out, int32_t id, const char *text, int32_t length, int depth) {
    const gw_sentencepiece *model = b->model;
    if (id == model->unknown || model->pieces[id].kind != GW_PIECE_UNUSED || depth > MOST_DEPTH) {
        gw_spm_put(model, out, id, text, length);
        return;
    }
    if (b->parts[id].round != b->round) { // a character
        gw_spm_put(model, out, model->unknown, text, length);
        return;
    }
    const int32_t left = b->parts[id].left;
    const int32_t ids[] = {piece_at(model, walk(&model->all, 0, text, left)),
                           piece_at(model, walk(&model->all, 0, text + left, length - left))};
    put(b, out, ids[1] >= 0 ? ids[1] : model->unknown, text + left, length - left, depth + 1);
    put(b, out, ids[0] >= 0 ? ids[0] : model->unknown, text, left, depth + 1);
}

static gw_status encode_run(gw_spm_bpe *b, const char *text, int64_t length, gw_spm_ids *out) {
    int32_t count = 0;
    b->heap_count = 0;
    b->round++;
    for (int64_t at = 0; at < length; count++) {
        GW_TRY(gw_reserve(&b->symbols, &b->symbols_capacity, count + 1, sizeof *b->symbols));
        symbol *s = &b->symbols[count];
        *s = (symbol){.before = count - 1, .next = count + 1, .start = (int32_t)at, .id = b->model->unknown};
        const int64_t defined = gw_byte_trie_longest(&b->model->symbols, text + at, length - at, 64);
        s->frozen = defined > 0;
        s->length = s->frozen ? (int32_t)defined : gw_utf8_length((uint8_t)text[at]);
        if (s->length > length - at) s->length = (int32_t)(length - at);
        s->node = walk(&b->model->all, 0, text + at, s->length);
        const int32_t id = piece_at(b->model, s->node);
        if (id != GW_TRIE_NO_VALUE) s->id = id;
        at += s->length;
    }
    b->symbols[count - 1].next = NONE;
    for (int32_t i = 1; i < count; i++) GW_TRY(consider(b, text, i - 1, i));
    while (b->heap_count > 0) GW_TRY(apply(b, text, pop(b)));
    for (int32_t i = count - 1; i >= 0; i--) {
        const symbol *s = &b->symbols[i];
        if (s->length > 0) put(b, out, s->id, text + s->start, s->length, 0);
    }
    return GW_OK;
}

static bool begins_word(const char *text, int64_t length) {
    return length >= GW_SPACE_SYMBOL_LENGTH && memcmp(text, GW_SPACE_SYMBOL, GW_SPACE_SYMBOL_LENGTH) == 0;
}

gw_status gw_spm_bpe_segment(gw_spm_bpe *bpe, const char *text, int64_t length, gw_spm_ids *out) {
    const bool by_word = !bpe->model->space_inside && !bpe->model->has_unused;
    for (int64_t end = length, start; end > 0; end = start) {
        start = by_word ? end - 1 : 0;
        while (start > 0 && !begins_word(text + start, length - start)) start--;
        GW_TRY(encode_run(bpe, text + start, end - start, out));
    }
    return GW_OK;
}
