// SPDX-License-Identifier: MIT
// The "BPE" model: reads vocabulary and merges, makes the table of pairs for merging, and merges words.
#include "text/json/bpe_model.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/json/id_vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = (1 << GW_TOKEN_BITS) - 1 };

void gw_bpe_model_free(gw_bpe_model *m) {
    for (int32_t i = 0; m->texts && i < m->size; i++) free(m->texts[i]);
    free(m->texts);
    gw_text_index_free(&m->index);
    free(m->merges);
    gw_pair_table_free(&m->pairs);
    free(m->product);
    free(m->token_of);
    free(m->symbol_of);
    free(m->parts);
    free(m->points);
    free(m->prefix);
    free(m->suffix);
    *m = (gw_bpe_model){0};
}

// --- merges --------------------------------------------------------------------------------------------------------

static gw_status find_part(const char *path, const gw_bpe_model *m, size_t merge, const char *text, size_t length,
                           int32_t *out) {
    *out = gw_text_index_find(&m->index, text, (int64_t)length);
    if (*out >= 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: merge %zu names the token \"%.*s\", which the vocabulary lacks", path, merge,
                   (int)(length < 60 ? length : 60), text);
}

// A pair that stands in the list twice has the rank of its last place.
static int by_pair(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static gw_status drop_repetitions(gw_bpe_model *m) {
    const int32_t count = m->merge_count;
    int32_t(*sorted)[3] = gw_alloc(count, sizeof *sorted);
    bool *dropped = gw_alloc(count, sizeof *dropped);
    if (!sorted || !dropped) {
        free(sorted);
        free(dropped);
        return GW_ERR_MEMORY;
    }
    for (int32_t i = 0; i < count; i++) {
        sorted[i][0] = m->merges[i][0];
        sorted[i][1] = m->merges[i][1];
        sorted[i][2] = i;
    }
    if (count > 0) qsort(sorted, (size_t)count, sizeof *sorted, by_pair);
    for (int32_t i = 1; i < count; i++)
        if (memcmp(sorted[i - 1], sorted[i], 2 * sizeof(int32_t)) == 0) dropped[sorted[i - 1][2]] = true;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (dropped[i]) continue;
        memcpy(m->merges[kept], m->merges[i], sizeof *m->merges);
        m->product[kept++] = m->product[i];
    }
    m->merge_count = kept;
    free(sorted);
    free(dropped);
    return GW_OK;
}

bool gw_merge_sides(const json_t *merge, const char **left, size_t *left_length, const char **right) {
    const bool is_list = json_is_array(merge);
    *left = json_string_value(is_list ? json_array_get(merge, 0) : merge);
    const char *space = *left && !is_list ? strchr(*left, ' ') : NULL;
    *right = is_list ? json_string_value(json_array_get(merge, 1)) : space ? space + 1 : NULL;
    if (!*left || !*right || (is_list && json_array_size(merge) != 2)) return false;
    *left_length = space ? (size_t)(space - *left) : strlen(*left);
    return true;
}

// Merges, and the tokens they make: a and b without its prefix. All are tokens
// here; number_symbols() turns them into symbols.
static gw_status read_merges(const char *path, const json_t *list, gw_bpe_model *m) {
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > MOST_TOKENS)
        return gw_fail(GW_ERR_FORMAT, "%s: \"merges\" of the model is not a list of at most %d", path, MOST_TOKENS);
    m->merges = gw_alloc((int64_t)count, sizeof *m->merges);
    m->product = gw_alloc((int64_t)count, sizeof *m->product);
    if (!m->merges || !m->product) return GW_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *merge = json_array_get(list, i);
        const char *left, *right;
        size_t left_length;
        if (!gw_merge_sides(merge, &left, &left_length, &right) || (json_is_string(merge) && strchr(right, ' ')))
            return gw_fail(GW_ERR_FORMAT, "%s: merge %zu is not a pair of tokens", path, i);
        const size_t right_length = strlen(right);
        GW_TRY(find_part(path, m, i, left, left_length, &m->merges[i][0]));
        GW_TRY(find_part(path, m, i, right, right_length, &m->merges[i][1]));
        const size_t skipped = right_length < (size_t)m->prefix_length ? right_length : (size_t)m->prefix_length;
        char *made = gw_strprintf("%.*s%s", (int)left_length, left, right + skipped);
        if (!made) return GW_ERR_MEMORY;
        const gw_status status = find_part(path, m, i, made, strlen(made), &m->product[i]);
        free(made);
        GW_TRY(status);
    }
    m->merge_count = (int32_t)count;
    return drop_repetitions(m);
}

// --- symbols -------------------------------------------------------------------------------------------------------

// Whether each merge makes a token of its own from letters and what earlier merges make. `made`: [size] the merge + 1.
static bool is_ordered(const gw_bpe_model *m, int32_t *made) {
    if (m->has_affixes || m->byte_fallback) return false; // a character may be what a merge makes
    for (int32_t i = 0; i < m->merge_count; i++) {
        if (made[m->product[i]]) return false;
        made[m->product[i]] = i + 1;
    }
    for (int32_t i = 0; i < m->merge_count; i++)
        for (int side = 0; side < 2; side++)
            if (made[m->merges[i][side]] > i) return false;
    return m->unknown < 0 || !made[m->unknown];
}

// Symbols of all tokens; merges, products and the unknown token become symbols.
static gw_status number_symbols(gw_bpe_model *m) {
    int32_t *made = gw_alloc(m->size, sizeof *made), letters = 0;
    if (!made) return GW_ERR_MEMORY;
    m->ordered = is_ordered(m, made);
    m->symbols = m->tokens + 1;
    m->token_of = gw_alloc(m->symbols, sizeof *m->token_of);
    m->symbol_of = gw_alloc(m->size, sizeof *m->symbol_of);
    if (!m->token_of || !m->symbol_of) {
        free(made);
        return GW_ERR_MEMORY;
    }
    m->first_merge = m->ordered ? m->symbols - m->merge_count : 1;
    for (int32_t i = 0; i < m->size; i++) {
        if (!m->texts[i]) continue;
        const int32_t symbol = m->ordered && made[i] ? m->first_merge + made[i] - 1 : ++letters;
        m->symbol_of[i] = symbol;
        m->token_of[symbol] = i;
    }
    free(made);
    for (int32_t i = 0; i < m->merge_count; i++) {
        m->merges[i][0] = m->symbol_of[m->merges[i][0]];
        m->merges[i][1] = m->symbol_of[m->merges[i][1]];
        m->product[i] = m->symbol_of[m->product[i]];
    }
    m->unknown = m->unknown < 0 ? 0 : m->symbol_of[m->unknown];
    const int32_t merged = m->first_merge + m->merge_count;
    return gw_pair_table_make(&m->pairs, (const int32_t(*)[2])m->merges, m->merge_count, m->first_merge,
                              merged > m->symbols ? merged : m->symbols);
}

static void put_point(gw_bpe_model *m, uint32_t point, int32_t symbol) {
    if (point < 128) {
        m->ascii[point] = symbol;
        return;
    }
    int64_t at = (int64_t)(point * 0x9E3779B1u) & m->point_mask;
    while (m->points[at].symbol) at = (at + 1) & m->point_mask;
    m->points[at] = (gw_point_symbol){point, symbol};
}

// --- the model -----------------------------------------------------------------------------------------------------

static gw_status read_affix(const char *path, const json_t *json, const char *key, char **out, int64_t *length) {
    const char *text = NULL;
    GW_TRY(gw_json_string(json, path, key, false, &text));
    if (!text || !*text) return GW_OK;
    *length = (int64_t)strlen(text);
    if (*length > GW_LONGEST_AFFIX)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" has %lld bytes, expected at most %d", path, key,
                       (long long)*length, GW_LONGEST_AFFIX);
    *out = gw_strdup(text);
    return *out ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_settings(const char *path, const json_t *json, gw_bpe_model *m) {
    double dropout = 0;
    GW_TRY(gw_json_double(json, path, "dropout", false, &dropout));
    if (dropout != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"dropout\" %g makes encoding random, expected null", path, dropout);
    GW_TRY(gw_json_bool(json, path, "fuse_unk", false, &m->fuse_unknown));
    GW_TRY(gw_json_bool(json, path, "byte_fallback", false, &m->byte_fallback));
    GW_TRY(gw_json_bool(json, path, "ignore_merges", false, &m->ignore_merges));
    GW_TRY(read_affix(path, json, "continuing_subword_prefix", &m->prefix, &m->prefix_length));
    GW_TRY(read_affix(path, json, "end_of_word_suffix", &m->suffix, &m->suffix_length));
    m->has_affixes = m->prefix || m->suffix;
    if (m->has_affixes && m->byte_fallback)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"byte_fallback\" beside a prefix or suffix of subwords", path);
    return GW_OK;
}

static gw_status read_unknown(const char *path, const json_t *json, gw_bpe_model *m) {
    const char *text = NULL;
    m->unknown = -1;
    GW_TRY(gw_json_string(json, path, "unk_token", false, &text));
    if (!text) return GW_OK;
    m->unknown = gw_text_index_find(&m->index, text, (int64_t)strlen(text));
    if (m->unknown >= 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: the \"unk_token\" \"%.60s\" is not in the vocabulary", path, text);
}

gw_status gw_bpe_model_read(const char *path, const json_t *json, gw_bpe_model *out) {
    *out = (gw_bpe_model){0};
    GW_TRY(read_settings(path, json, out));
    gw_id_vocabulary v;
    const gw_status status = gw_vocabulary_read(path, json_object_get(json, "vocab"), &v);
    out->texts = v.texts;
    out->size = v.size;
    out->tokens = v.tokens;
    out->index = v.index;
    GW_TRY(status);
    GW_TRY(read_unknown(path, json, out));
    GW_TRY(read_merges(path, json_object_get(json, "merges"), out));
    GW_TRY(number_symbols(out));
    if (out->ordered) {
        out->parts = gw_alloc(out->symbols, sizeof *out->parts);
        if (!out->parts) return GW_ERR_MEMORY;
        for (int32_t i = 0; i < out->merge_count; i++)
            memcpy(out->parts[out->first_merge + i], out->merges[i], sizeof *out->parts);
    }
    // The tokens of one character, and those of single bytes.
    int64_t slots = 16;
    while (slots < 2 * (int64_t)out->tokens) slots *= 2;
    out->point_mask = slots - 1;
    out->points = gw_alloc(slots, sizeof *out->points);
    if (!out->points) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < out->size; i++) {
        int bytes;
        if (!out->texts[i] || !out->texts[i][0]) continue;
        const uint32_t point = gw_utf8_read(out->texts[i], &bytes);
        if (!out->texts[i][bytes]) put_point(out, point, out->symbol_of[i]);
    }
    for (int byte = 0; byte < 256; byte++) {
        char name[8];
        const int length = snprintf(name, sizeof name, "<0x%02X>", byte);
        const int32_t token = gw_text_index_find(&out->index, name, length);
        out->byte_symbols[byte] = token < 0 ? 0 : out->symbol_of[token];
    }
    return GW_OK;
}

// --- words: long ones are merged by a sweep where ranks allow it, others in pairs from a heap ----------------------

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
        const int32_t gone = h->after[position];
        if (gw_merged_token(&h->model->pairs, h->symbol[position], h->symbol[gone]) != merge) continue;
        h->symbol[position] = h->model->product[merge - h->model->first_merge];
        h->symbol[gone] = 0;
        h->after[position] = h->after[gone];
        if (h->after[gone] >= 0) h->before[h->after[gone]] = position;
        add_pair(h, h->before[position], true);
        add_pair(h, position, true);
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
    letter_list list = {words->symbols, 0, false};
    int bytes;
    for (int64_t at = 0; at < length; at += bytes) {
        const uint32_t point = gw_utf8_read(word + at, &bytes);
        const int32_t symbol = model->has_affixes
                                   ? affixed_symbol(model, word + at, bytes, at == 0, at + bytes == length)
                                   : symbol_of_point(model, point);
        if (symbol) {
            put_pending(&list, model);
            list.symbols[list.count++] = symbol;
        } else {
            words->unknown += put_unknown(&list, model, word + at, bytes);
        }
    }
    put_pending(&list, model);
    const int64_t letters = list.count;
    return model->ordered && letters >= SWEPT_LETTERS ? sweep_letters(words, model, letters)
                                                      : heap_letters(words, model, letters);
}
