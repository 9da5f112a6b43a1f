// SPDX-License-Identifier: MIT
// The words of a text through the merges: by sweeps where ranks allow it, in pairs from a heap where they are long.
#include "base/memory.h"
#include "base/utf8.h"
#include "text/json/bpe_model.h"

#include <stdlib.h>
#include <string.h>

enum { SWEPT_LETTERS = 48 }; // words from so many letters on are swept

gw_status gw_bpe_words_make(gw_bpe_words *words, const gw_bpe_model *m) {
    *words = (gw_bpe_words){0};
    if (!m->ordered) return GW_OK;
    return gw_bpe_sweep_make(&words->sweep, &m->pairs, (const int32_t(*)[2])m->parts, m->symbols, m->first_merge,
                             gw_dense_has_vectors());
}

void gw_bpe_words_free(gw_bpe_words *words) {
    gw_bpe_sweep_free(&words->sweep);
    free(words->symbols);
    free(words->heap);
    free(words->links);
    free(words->tokens);
    *words = (gw_bpe_words){0};
}

static gw_status reserve(gw_bpe_words *w, int64_t more) {
    return gw_reserve(&w->tokens, &w->capacity, w->count + more, sizeof *w->tokens);
}

gw_status gw_bpe_words_add_token(gw_bpe_words *words, int32_t token) {
    GW_TRY(reserve(words, 1));
    words->tokens[words->count++] = token;
    return GW_OK;
}

// --- characters ----------------------------------------------------------------------------------------------------

static int32_t symbol_of_point(const gw_bpe_model *m, uint32_t point) {
    if (point < 128) return m->ascii[point];
    for (int64_t at = (int64_t)(point * 0x9E3779B1u) & m->point_mask;; at = (at + 1) & m->point_mask)
        if (!m->points[at].symbol || m->points[at].point == point) return m->points[at].symbol;
}

// The symbol of a character with the prefix of later characters and the suffix of the last one.
static int32_t affixed_symbol(const gw_bpe_model *m, const char *character, int bytes, bool first, bool last) {
    char text[2 * GW_LONGEST_AFFIX + 4];
    int64_t length = 0;
    if (!first && m->prefix) memcpy(text, m->prefix, (size_t)m->prefix_length), length = m->prefix_length;
    memcpy(text + length, character, (size_t)bytes);
    length += bytes;
    if (last && m->suffix) memcpy(text + length, m->suffix, (size_t)m->suffix_length), length += m->suffix_length;
    const int32_t token = gw_text_index_find(&m->index, text, length);
    return token < 0 ? 0 : m->symbol_of[token];
}

typedef struct {
    int32_t *symbols;
    int64_t count;
    bool pending; // an [UNK] that waits for the next known character, and takes in unknown ones until then
} letter_list;

static void put_pending(letter_list *list, const gw_bpe_model *m) {
    if (list->pending) list->symbols[list->count++] = m->unknown;
    list->pending = false;
}

// A character outside the vocabulary: its bytes where all of them are in it, otherwise [UNK], or nothing.
static bool put_unknown(letter_list *list, const gw_bpe_model *m, const char *character, int bytes) {
    bool all = m->byte_fallback;
    for (int i = 0; i < bytes && all; i++) all = m->byte_symbols[(uint8_t)character[i]] != 0;
    if (all) {
        for (int i = 0; i < bytes; i++) list->symbols[list->count++] = m->byte_symbols[(uint8_t)character[i]];
        return false;
    }
    if (!m->fuse_unknown) put_pending(list, m);
    list->pending = m->unknown != 0;
    return true;
}

static int64_t place_letters(gw_bpe_words *w, const gw_bpe_model *m, const char *word, int64_t length) {
    letter_list list = {w->symbols, 0, false};
    int bytes;
    for (int64_t at = 0; at < length; at += bytes) {
        const uint32_t point = gw_utf8_read(word + at, &bytes);
        const int32_t symbol = m->has_affixes ? affixed_symbol(m, word + at, bytes, at == 0, at + bytes == length)
                                              : symbol_of_point(m, point);
        if (symbol) {
            put_pending(&list, m);
            list.symbols[list.count++] = symbol;
        } else {
            w->unknown += put_unknown(&list, m, word + at, bytes);
        }
    }
    put_pending(&list, m);
    return list.count;
}

// --- merging by a heap ---------------------------------------------------------------------------------------------

static void sift_down(uint64_t *heap, int64_t count, int64_t at) {
    const uint64_t moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= moved) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void push(uint64_t *heap, int64_t *count, uint64_t item) {
    int64_t at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2] > item; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

typedef struct {
    const gw_bpe_model *model;
    int32_t *symbol, *before, *after; // [positions]; -1: none; symbol 0: merged into the one before
    uint64_t *heap;
    int64_t heaped;
} heap_word;

// The pair that begins at `position`, into the heap where it has a merge.
static void add_pair(heap_word *h, int32_t position, bool sorted) {
    if (position < 0 || h->after[position] < 0) return;
    const int32_t merge = gw_merged_token(&h->model->pairs, h->symbol[position], h->symbol[h->after[position]]);
    if (merge == 0) return;
    const uint64_t item = (uint64_t)merge << 32 | (uint32_t)position;
    if (sorted) push(h->heap, &h->heaped, item);
    else h->heap[h->heaped++] = item;
}

static void merge_position(heap_word *h, int32_t position, int32_t merge) {
    const int32_t gone = h->after[position];
    h->symbol[position] = h->model->product[merge - h->model->first_merge];
    h->symbol[gone] = 0;
    h->after[position] = h->after[gone];
    if (h->after[gone] >= 0) h->before[h->after[gone]] = position;
    add_pair(h, h->before[position], true);
    add_pair(h, position, true);
}

static void merge_heaped(heap_word *h, int32_t positions) {
    for (int32_t i = 0; i < positions; i++) {
        h->before[i] = i - 1;
        h->after[i] = i + 1 < positions ? i + 1 : -1;
    }
    for (int32_t i = 0; i < positions; i++) add_pair(h, i, false);
    for (int64_t i = h->heaped / 2 - 1; i >= 0; i--) sift_down(h->heap, h->heaped, i);
    while (h->heaped > 0) {
        const uint64_t top = h->heap[0];
        h->heap[0] = h->heap[--h->heaped];
        if (h->heaped > 0) sift_down(h->heap, h->heaped, 0);
        const int32_t position = (int32_t)(uint32_t)top, merge = (int32_t)(top >> 32);
        if (h->after[position] < 0 || !h->symbol[position]) continue;
        if (gw_merged_token(&h->model->pairs, h->symbol[position], h->symbol[h->after[position]]) == merge)
            merge_position(h, position, merge);
    }
}

// A merge adds at most two pairs and takes a position away, so that the heap never holds more than 3 positions.
static gw_status heap_letters(gw_bpe_words *w, const gw_bpe_model *m, int64_t positions) {
    if (positions == 0) return GW_OK;
    GW_TRY(gw_reserve(&w->heap, &w->heap_capacity, 3 * positions, sizeof *w->heap));
    GW_TRY(gw_reserve(&w->links, &w->links_capacity, 2 * positions, sizeof *w->links));
    heap_word h = {m, w->symbols, w->links, w->links + positions, w->heap, 0};
    merge_heaped(&h, (int32_t)positions);
    GW_TRY(reserve(w, positions));
    for (int64_t i = 0; i < positions; i++)
        if (w->symbols[i]) w->tokens[w->count++] = m->token_of[w->symbols[i]];
    return GW_OK;
}

// --- merging by a sweep --------------------------------------------------------------------------------------------

static gw_status sweep_letters(gw_bpe_words *w, const gw_bpe_model *m, int64_t letters) {
    GW_TRY(gw_bpe_sweep_reserve(&w->sweep, letters));
    int32_t count;
    if (m->first_merge <= GW_DENSE_IDS) {
        for (int64_t i = 0; i < letters; i++) w->sweep.bytes[i] = (uint8_t)w->symbols[i];
        count = gw_bpe_sweep_run_bytes(&w->sweep, (int32_t)letters);
    } else {
        memcpy(w->sweep.token + 1, w->symbols, (size_t)letters * sizeof *w->symbols);
        count = gw_bpe_sweep_run(&w->sweep, (int32_t)letters);
    }
    GW_TRY(reserve(w, count));
    for (int32_t i = 0; i < count; i++) w->tokens[w->count + i] = m->token_of[w->sweep.token[i]];
    w->count += count;
    return GW_OK;
}

gw_status gw_bpe_words_add(gw_bpe_words *words, const gw_bpe_model *model, const char *word, int64_t length) {
    const int32_t whole = model->ignore_merges ? gw_text_index_find(&model->index, word, length) : -1;
    if (whole >= 0) return gw_bpe_words_add_token(words, whole);
    if (length >= INT32_MAX - 2) return gw_fail(GW_ERR_RANGE, "a word of %lld bytes", (long long)length);
    GW_TRY(gw_reserve(&words->symbols, &words->symbols_capacity, length, sizeof *words->symbols));
    const int64_t letters = place_letters(words, model, word, length);
    return model->ordered && letters >= SWEPT_LETTERS ? sweep_letters(words, model, letters)
                                                      : heap_letters(words, model, letters);
}
