// SPDX-License-Identifier: MIT
// The "WordPiece" and "Unigram" models. The first splits words by trying shorter and shorter beginnings; the second
// finds the best segmentation by Viterbi's algorithm.
#include "base/memory.h"
#include "text/json/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- WordPiece -----------------------------------------------------------------------------------------------------

enum { USUAL_CHARACTERS = 100 };

void gw_wordpiece_model_free(gw_wordpiece_model *model) {
    gw_vocabulary_free(&model->vocabulary);
    free(model->prefix);
    *model = (gw_wordpiece_model){0};
}

gw_status gw_wordpiece_model_read(const char *path, const json_t *json, gw_wordpiece_model *out) {
    *out = (gw_wordpiece_model){.most_characters = USUAL_CHARACTERS};
    const char *unknown = "[UNK]", *prefix = "##";
    GW_TRY(gw_json_string(json, path, "unk_token", false, &unknown));
    GW_TRY(gw_json_string(json, path, "continuing_subword_prefix", false, &prefix));
    GW_TRY(gw_json_int(json, path, "max_input_chars_per_word", false, 0, INT32_MAX, &out->most_characters));
    GW_TRY(gw_vocabulary_read(path, json_object_get(json, "vocab"), &out->vocabulary));
    out->unknown = gw_text_index_find(&out->vocabulary.index, unknown, (int64_t)strlen(unknown));
    out->prefix_length = (int64_t)strlen(prefix);
    for (int32_t i = 0; i < out->vocabulary.size; i++) {
        const char *text = out->vocabulary.texts[i];
        const int64_t length = text ? (int64_t)strlen(text) : 0;
        if (length > out->longest) out->longest = length;
    }
    out->prefix = gw_strdup(prefix);
    return out->prefix ? GW_OK : GW_ERR_MEMORY;
}

static bool begins_character(char byte) {
    return ((uint8_t)byte & 0xC0) != 0x80;
}

// The token of the longest beginning of word[at .. length), and where that ends; -1 where none has a token.
static int32_t longest_token(const gw_wordpiece_model *m, gw_string *key, const char *word, int64_t at, int64_t length,
                             int64_t *end) {
    gw_string_clear(key);
    if (at > 0) gw_string_append(key, m->prefix, m->prefix_length);
    const int64_t before = key->length, capacity = m->longest - before;
    *end = length - at < capacity ? length : at + (capacity > 0 ? capacity : 0);
    gw_string_append(key, word + at, *end - at);
    for (; !key->failed && *end > at; --*end) {
        if (*end < length && !begins_character(word[*end])) continue;
        const int32_t token = gw_text_index_find(&m->vocabulary.index, key->data, before + *end - at);
        if (token >= 0) return token;
    }
    return -1;
}

static gw_status add_unknown(const gw_wordpiece_model *m, const char *word, int64_t length, int64_t characters,
                             gw_bpe_words *words) {
    if (m->unknown < 0) return gw_no_unknown(word, length);
    words->unknown += characters;
    return gw_bpe_words_add_token(words, m->unknown);
}

gw_status gw_wordpiece_model_add(const gw_wordpiece_model *m, gw_string *key, const char *word, int64_t length,
                                 gw_bpe_words *words) {
    const int64_t first = words->count;
    int64_t characters = 0;
    for (int64_t i = 0; i < length; i++) characters += begins_character(word[i]);
    if (characters > m->most_characters) return add_unknown(m, word, length, characters, words);
    for (int64_t at = 0, end; at < length; at = end) {
        const int32_t token = longest_token(m, key, word, at, length, &end);
        GW_TRY(gw_string_status(key));
        if (token < 0) {
            words->count = first;
            return add_unknown(m, word, length, characters, words);
        }
        GW_TRY(gw_bpe_words_add_token(words, token));
    }
    return GW_OK;
}

// --- Unigram -------------------------------------------------------------------------------------------------------

static const double UNKNOWN_PENALTY = 10;

// One entry of "vocab": [text, score].
static gw_status read_entry(const char *path, const json_t *entry, int32_t id, gw_unigram_model *m) {
    const char *text = json_string_value(json_array_get(entry, 0));
    const json_t *score = json_array_get(entry, 1);
    if (!text || !json_is_number(score) || !isfinite(json_number_value(score)))
        return gw_fail(GW_ERR_FORMAT, "%s: entry %d of the Unigram \"vocab\" is not a pair of a text and a score", path,
                       id);
    const int64_t length = (int64_t)strlen(text);
    if (length >= INT32_MAX) return gw_fail(GW_ERR_RANGE, "%s: token %d has %lld bytes", path, id, (long long)length);
    m->texts[id] = gw_strdup(text);
    if (!m->texts[id]) return GW_ERR_MEMORY;
    m->unigram.scores[id] = json_number_value(score);
    m->unigram.lengths[id] = (int32_t)length;
    if (length > m->unigram.longest) m->unigram.longest = (int32_t)length;
    return GW_OK;
}

static gw_status index_tokens(const char *path, gw_unigram_model *m) {
    GW_TRY(gw_text_index_make(&m->index, m->size));
    gw_trie_key *keys = gw_alloc(m->size, sizeof *keys);
    if (!keys) return GW_ERR_MEMORY;
    int64_t count = 0, duplicate;
    double least = INFINITY;
    for (int32_t i = 0; i < m->size; i++) {
        const int32_t length = m->unigram.lengths[i];
        gw_text_index_put(&m->index, m->texts[i], length, i);
        if (length > 0) keys[count++] = (gw_trie_key){m->texts[i], length, i};
        if (m->unigram.scores[i] < least) least = m->unigram.scores[i];
    }
    m->unigram.unknown_score = least - UNKNOWN_PENALTY;
    gw_status status = gw_byte_trie_build(&m->unigram.trie, keys, count, &duplicate);
    if (status != GW_OK) status = gw_fail_in(status, "%s", path);
    else if (duplicate >= 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: tokens %d and %d are both \"%.60s\"", path, keys[duplicate - 1].value,
                         keys[duplicate].value, keys[duplicate].text);
    else if (count == 0) status = gw_fail(GW_ERR_FORMAT, "%s: no token of the Unigram \"vocab\" has a text", path);
    free(keys);
    return status;
}

gw_status gw_unigram_model_read(const char *path, const json_t *json, gw_unigram_model *out) {
    *out = (gw_unigram_model){.unknown = -1};
    const json_t *vocabulary = json_object_get(json, "vocab");
    const size_t size = json_array_size(vocabulary);
    if (size == 0 || size > GW_TRIE_MOST_UNITS)
        return gw_fail(GW_ERR_FORMAT, "%s: the Unigram \"vocab\" has %zu entries, expected 1 to %d", path, size,
                       GW_TRIE_MOST_UNITS);
    int64_t unknown = -1;
    GW_TRY(gw_json_int(json, path, "unk_id", false, 0, (int64_t)size - 1, &unknown));
    GW_TRY(gw_json_bool(json, path, "byte_fallback", false, &out->byte_fallback));
    out->unknown = (int32_t)unknown;
    out->texts = gw_alloc((int64_t)size, sizeof *out->texts);
    out->unigram.scores = gw_alloc((int64_t)size, sizeof *out->unigram.scores);
    out->unigram.lengths = gw_alloc((int64_t)size, sizeof *out->unigram.lengths);
    if (!out->texts || !out->unigram.scores || !out->unigram.lengths) return GW_ERR_MEMORY;
    out->size = (int32_t)size;
    for (int32_t i = 0; i < out->size; i++) GW_TRY(read_entry(path, json_array_get(vocabulary, (size_t)i), i, out));
    GW_TRY(index_tokens(path, out));
    for (int b = 0; b < 256; b++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)b);
        out->byte_ids[b] = gw_text_index_find(&out->index, name, 6);
    }
    return GW_OK;
}

void gw_unigram_model_free(gw_unigram_model *model) {
    for (int32_t i = 0; i < model->size; i++) free(model->texts[i]);
    free(model->texts);
    gw_text_index_free(&model->index);
    gw_unigram_free(&model->unigram);
    *model = (gw_unigram_model){0};
}

// A run of unknown characters; its bytes from the last to the first, as all tokens come.
static gw_status add_unknown_run(const gw_unigram_model *m, const char *text, int64_t length, gw_bpe_words *words) {
    if (m->unknown < 0) return gw_no_unknown(text, length);
    const int32_t whole = gw_text_index_find(&m->index, text, length);
    if (whole >= 0) return gw_bpe_words_add_token(words, whole);
    bool has_bytes = m->byte_fallback;
    for (int64_t i = 0; i < length && has_bytes; i++) has_bytes = m->byte_ids[(uint8_t)text[i]] >= 0;
    if (!has_bytes) {
        for (int64_t i = 0; i < length; i++) words->unknown += ((uint8_t)text[i] & 0xC0) != 0x80;
        return gw_bpe_words_add_token(words, m->unknown);
    }
    for (int64_t i = length - 1; i >= 0; i--) GW_TRY(gw_bpe_words_add_token(words, m->byte_ids[(uint8_t)text[i]]));
    return GW_OK;
}

gw_status gw_unigram_model_add(const gw_unigram_model *m, gw_unigram_path *path, const char *word, int64_t length,
                               gw_bpe_words *words) {
    if (length >= INT32_MAX) return gw_fail(GW_ERR_RANGE, "a word of %lld bytes", (long long)length);
    GW_TRY(gw_unigram_segment(&m->unigram, path, word, length));
    const int64_t first = words->count;
    int64_t unknown_end =
        length; // from the last token to the first; the unknown run so far is word[end .. unknown_end)
    for (int64_t end = length; end > 0;) {
        int32_t bytes;
        const int32_t id = gw_unigram_step_back(&m->unigram, path, end, &bytes);
        const bool unknown = id < 0 || id == m->unknown;
        if (!unknown && unknown_end > end) GW_TRY(add_unknown_run(m, word + end, unknown_end - end, words));
        if (!unknown) GW_TRY(gw_bpe_words_add_token(words, id));
        end -= bytes;
        if (!unknown) unknown_end = end;
    }
    if (unknown_end > 0) GW_TRY(add_unknown_run(m, word, unknown_end, words));
    for (int64_t i = first, j = words->count - 1; i < j; i++, j--) {
        const int32_t token = words->tokens[i];
        words->tokens[i] = words->tokens[j];
        words->tokens[j] = token;
    }
    return GW_OK;
}
