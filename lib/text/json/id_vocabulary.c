// SPDX-License-Identifier: MIT
// Texts are hashed by FNV-1a and found by linear probing; a vocabulary counts its ids, then keeps and indexes its
// texts.
#include "text/json/id_vocabulary.h"

#include "base/hash.h"
#include "base/memory.h"
#include "text/dna/bpe_sweep.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_text_index_make(gw_text_index *index, int64_t count) {
    int64_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    index->mask = slots - 1;
    index->slots = gw_alloc(slots, sizeof *index->slots);
    return index->slots ? GW_OK : GW_ERR_MEMORY;
}

void gw_text_index_free(gw_text_index *index) {
    free(index->slots);
    *index = (gw_text_index){0};
}

static gw_text_slot *slot_of(const gw_text_index *index, const char *text, int64_t length) {
    uint64_t hash = gw_hash_bytes(GW_HASH_START, text, length);
    hash ^= hash >> 32;
    for (int64_t at = (int64_t)hash & index->mask;; at = (at + 1) & index->mask) {
        gw_text_slot *slot = &index->slots[at];
        if (!slot->text || (slot->length == length && memcmp(slot->text, text, (size_t)length) == 0)) return slot;
    }
}

void gw_text_index_put(gw_text_index *index, const char *text, int64_t length, int32_t value) {
    *slot_of(index, text, length) = (gw_text_slot){text, (int32_t)length, value};
}

int32_t gw_text_index_find(const gw_text_index *index, const char *text, int64_t length) {
    const gw_text_slot *slot = slot_of(index, text, length);
    return slot->text ? slot->value : -1;
}

enum { MOST_TOKENS = (1 << GW_TOKEN_BITS) - 1 };

gw_status gw_vocabulary_read(const char *path, const json_t *json, gw_id_vocabulary *v) {
    const char *text;
    json_t *id;
    *v = (gw_id_vocabulary){0};
    const size_t tokens = json_object_size(json);
    if (!json_is_object(json) || tokens == 0 || tokens > MOST_TOKENS)
        return gw_fail(GW_ERR_FORMAT, "%s: \"vocab\" of the model holds %zu tokens, expected 1 to %d", path, tokens,
                       MOST_TOKENS);
    int64_t size = 0;
    json_object_foreach((json_t *)json, text, id) {
        const int64_t value = json_is_integer(id) ? json_integer_value(id) : -1;
        if (value < 0 || value > (int64_t)tokens * 2 + 1000 || value >= MOST_TOKENS)
            return gw_fail(GW_ERR_FORMAT, "%s: the id of token \"%.60s\" is not a whole number that fits %zu tokens",
                           path, text, tokens);
        if (value >= size) size = value + 1;
    }
    v->size = (int32_t)size;
    v->tokens = (int32_t)tokens;
    v->texts = gw_alloc(v->size, sizeof *v->texts);
    if (!v->texts) return GW_ERR_MEMORY;
    GW_TRY(gw_text_index_make(&v->index, v->tokens));
    json_object_foreach((json_t *)json, text, id) {
        const int32_t token = (int32_t)json_integer_value(id);
        if (v->texts[token])
            return gw_fail(GW_ERR_FORMAT, "%s: tokens \"%.60s\" and \"%.60s\" both have id %d", path, v->texts[token],
                           text, token);
        v->texts[token] = gw_strdup(text);
        if (!v->texts[token]) return GW_ERR_MEMORY;
        gw_text_index_put(&v->index, v->texts[token], (int64_t)strlen(text), token);
    }
    return GW_OK;
}

void gw_vocabulary_free(gw_id_vocabulary *vocabulary) {
    for (int32_t i = 0; vocabulary->texts && i < vocabulary->size; i++) free(vocabulary->texts[i]);
    free(vocabulary->texts);
    gw_text_index_free(&vocabulary->index);
    *vocabulary = (gw_id_vocabulary){0};
}
