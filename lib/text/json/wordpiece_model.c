// SPDX-License-Identifier: MIT
// Reads the vocabulary, and cuts words by looking for ever shorter beginnings.
#include "text/json/pipeline.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

static int64_t count_characters(const char *word, int64_t length) {
    int64_t count = 0;
    for (int64_t i = 0; i < length; i++) count += begins_character(word[i]);
    return count;
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
    if (m->unknown < 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "\"%.*s\" is not in the vocabulary, which has no unknown token",
                       (int)(length < 60 ? length : 60), word);
    words->unknown += characters;
    return gw_bpe_words_add_token(words, m->unknown);
}

gw_status gw_wordpiece_model_add(const gw_wordpiece_model *m, gw_string *key, const char *word, int64_t length,
                                 gw_bpe_words *words) {
    const int64_t characters = count_characters(word, length), first = words->count;
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
