// SPDX-License-Identifier: MIT
// Finds the longest added token at each position, with its rules of borders and blanks.
#include "text/json/pipeline.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// --- reading -------------------------------------------------------------------------------------------------------

static gw_status read_token(const char *path, const json_t *json, gw_added_token *t) {
    const char *content;
    int64_t id;
    GW_TRY(gw_json_int(json, path, "id", true, 0, INT32_MAX, &id));
    GW_TRY(gw_json_string(json, path, "content", true, &content));
    GW_TRY(gw_json_bool(json, path, "single_word", false, &t->single_word));
    GW_TRY(gw_json_bool(json, path, "lstrip", false, &t->left_strip));
    GW_TRY(gw_json_bool(json, path, "rstrip", false, &t->right_strip));
    GW_TRY(gw_json_bool(json, path, "special", false, &t->special));
    t->normalized = !t->special;
    GW_TRY(gw_json_bool(json, path, "normalized", false, &t->normalized));
    t->id = (int32_t)id;
    t->content = gw_strdup(content);
    return t->content ? GW_OK : GW_ERR_MEMORY;
}

static gw_status normalise(const char *path, const gw_normalizer *normalizer, gw_added_token *t) {
    gw_string text = {0};
    gw_normalizer_scratch scratch = {0};
    bool trimmed;
    gw_status status = GW_OK;
    const int64_t length = (int64_t)strlen(t->content);
    if (t->normalized) status = gw_normalize(normalizer, &scratch, t->content, length, &text, &trimmed);
    else gw_string_append(&text, t->content, length);
    if (status == GW_OK) status = gw_string_status(&text);
    gw_normalizer_scratch_free(&scratch);
    t->wanted = text.data;
    t->length = text.length;
    if (status == GW_OK && t->length == 0)
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: the added token \"%.60s\" is nothing once it is normalised", path,
                         t->content);
    return status;
}

// The id that the package gives: the model's, or the next one after all others.
static gw_status check_id(const char *path, const gw_added_token *t, const gw_text_index *vocabulary, int32_t size,
                          int32_t *next) {
    const int32_t known = gw_text_index_find(vocabulary, t->content, (int64_t)strlen(t->content));
    const int32_t expected = known >= 0 ? known : *next > size ? *next : size;
    if (t->id != expected)
        return gw_fail(GW_ERR_FORMAT, "%s: the added token \"%.60s\" has id %d, expected %d", path, t->content, t->id,
                       expected);
    if (t->id >= *next) *next = t->id + 1;
    return GW_OK;
}

static int longest_first(const void *a, const void *b) {
    const gw_added_token *x = a, *y = b;
    if (x->wanted[0] != y->wanted[0]) return (uint8_t)x->wanted[0] < (uint8_t)y->wanted[0] ? -1 : 1;
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static gw_status sort(gw_added_tokens *added) {
    if (added->count > 0) qsort(added->list, (size_t)added->count, sizeof *added->list, longest_first);
    for (int normalized = 0; normalized < 2; normalized++) {
        int32_t *order = added->order[normalized] = gw_alloc(added->count, sizeof *order), found = 0;
        if (!order) return GW_ERR_MEMORY;
        int64_t at = 0;
        for (int byte = 0; byte < 256; byte++) {
            added->first[normalized][byte] = found;
            for (; at < added->count && (uint8_t)added->list[at].wanted[0] == byte; at++)
                if (added->list[at].normalized == normalized) order[found++] = (int32_t)at;
        }
        added->first[normalized][256] = found;
    }
    return GW_OK;
}

gw_status gw_added_tokens_read(const char *path, const json_t *json, const gw_text_index *vocabulary, int32_t size,
                               const gw_normalizer *normalizer, gw_added_tokens *out) {
    int32_t next = 0;
    *out = (gw_added_tokens){0};
    if (json && !json_is_null(json) && !json_is_array(json))
        return gw_fail(GW_ERR_FORMAT, "%s: \"added_tokens\" is not a list", path);
    for (size_t i = 0; i < json_array_size(json); i++) {
        GW_TRY(gw_reserve(&out->list, &out->capacity, out->count + 1, sizeof *out->list));
        gw_added_token *token = &out->list[out->count++];
        *token = (gw_added_token){0};
        GW_TRY(read_token(path, json_array_get(json, i), token));
        GW_TRY(check_id(path, token, vocabulary, size, &next));
        GW_TRY(normalise(path, normalizer, token));
    }
    return sort(out);
}

void gw_added_tokens_free(gw_added_tokens *added) {
    for (int64_t i = 0; i < added->count; i++) {
        free(added->list[i].content);
        free(added->list[i].wanted);
    }
    free(added->list);
    free(added->order[0]);
    free(added->order[1]);
    *added = (gw_added_tokens){0};
}

// --- cutting -------------------------------------------------------------------------------------------------------

// The longest token at text[at ..), or NULL.
static const gw_added_token *token_at(const gw_added_tokens *added, bool normalized, const char *text, int64_t end,
                                      int64_t at) {
    const int32_t *first = added->first[normalized] + (uint8_t)text[at];
    for (int32_t i = first[0]; i < first[1]; i++) {
        const gw_added_token *t = &added->list[added->order[normalized][i]];
        if (t->length <= end - at && memcmp(text + at, t->wanted, (size_t)t->length) == 0) return t;
    }
    return NULL;
}

static int64_t character_before(const char *text, int64_t at) {
    do at--;
    while (((uint8_t)text[at] & 0xC0) == 0x80);
    return at;
}

static bool word_at(const char *text, int64_t at) {
    int bytes;
    const uint32_t point = gw_utf8_read(text + at, &bytes);
    return gw_is_word(point) || point == 0x200C || point == 0x200D;
}

// Whether no character of a word touches the token at text[from .. to).
static bool stands_alone(const char *text, int64_t begin, int64_t end, int64_t from, int64_t to) {
    return (from == begin || !word_at(text, character_before(text, from))) && (to == end || !word_at(text, to));
}

static int64_t strip_left(const char *text, int64_t least, int64_t at) {
    int bytes;
    while (at > least) {
        const int64_t before = character_before(text, at);
        if (!gw_is_space(gw_utf8_read(text + before, &bytes))) break;
        at = before;
    }
    return at;
}

static int64_t strip_right(const char *text, int64_t end, int64_t at) {
    int bytes;
    while (at < end && gw_is_space(gw_utf8_read(text + at, &bytes))) at += bytes;
    return at;
}

gw_status gw_added_tokens_cut(const gw_added_tokens *added, bool normalized, gw_pieces *pieces, int64_t begin,
                              int64_t end, bool first) {
    const char *text = pieces->text.data;
    int64_t done = begin, at = begin;
    while (at < end) {
        const gw_added_token *token = token_at(added, normalized, text, end, at);
        if (!token) {
            at++;
            continue;
        }
        int64_t from = at, to = at + token->length;
        at = to;
        if (token->single_word && !stands_alone(text, begin, end, from, to)) continue;
        if (token->left_strip) from = strip_left(text, done, from);
        if (token->right_strip) to = strip_right(text, end, to);
        if (from < done) from = done; // what an earlier token stripped is taken already
        if (done < from) GW_TRY(gw_pieces_add(pieces, (gw_piece){done, from, -1, first && done == begin}));
        GW_TRY(gw_pieces_add(pieces, (gw_piece){from, to, token->id, false}));
        done = to;
    }
    if (done < end) GW_TRY(gw_pieces_add(pieces, (gw_piece){done, end, -1, first && done == begin}));
    return GW_OK;
}
