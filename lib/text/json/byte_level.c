// SPDX-License-Identifier: MIT
// Writes the vocabulary as a tokenizer.json, and reads that: the tokenizer keeps the file's bytes.
#include "text/json/byte_level.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/json/own_json.h"
#include "text/json/pieces.h"

#include <stdlib.h>
#include <string.h>

static const char *const components =
    "{'normalizer': null,"
    " 'pre_tokenizer': {'type': 'ByteLevel', 'add_prefix_space': false, 'trim_offsets': true, 'use_regex': true},"
    " 'decoder': {'type': 'ByteLevel', 'add_prefix_space': true, 'trim_offsets': true, 'use_regex': true}}";

void gw_byte_ids(uint16_t ids[256]) {
    uint16_t id = GW_SPECIAL_TOKENS;
    for (uint32_t point = 0; id < GW_FIRST_BYTE_MERGE; point++) {
        const int byte = gw_letter_byte(point);
        if (byte >= 0) ids[byte] = id++;
    }
}

// texts[id] of every token.
static gw_status spell(const int32_t (*merges)[2], int64_t count, char **texts) {
    uint16_t ids[256];
    gw_byte_ids(ids);
    for (int byte = 0; byte < 256; byte++) {
        gw_string letter = {0};
        gw_byte_letters(&letter, (char[]){(char)byte}, 1);
        texts[ids[byte]] = letter.data;
        GW_TRY(gw_string_status(&letter));
    }
    for (int64_t m = 0; m < count; m++) {
        char **text = &texts[GW_FIRST_BYTE_MERGE + m];
        *text = gw_strprintf("%s%s", texts[merges[m][0]], texts[merges[m][1]]);
        if (!*text) return GW_ERR_MEMORY;
    }
    return GW_OK;
}

static gw_status build(const int32_t (*merges)[2], int64_t count, char *const *texts, json_t **root) {
    json_t *vocabulary = json_object(), *list = json_array();
    for (int i = 0; i < GW_SPECIAL_TOKENS; i++) json_object_set_new(vocabulary, gw_fixed_tokens[i], json_integer(i));
    for (int64_t i = GW_SPECIAL_TOKENS; i < GW_FIRST_BYTE_MERGE + count; i++)
        json_object_set_new(vocabulary, texts[i], json_integer(i));
    for (int64_t m = 0; m < count; m++)
        json_array_append_new(list, json_sprintf("%s %s", texts[merges[m][0]], texts[merges[m][1]]));
    return gw_own_json(components, vocabulary, list, 0, root);
}

static gw_status read_back(const json_t *root, gw_tokenizer **out) {
    char *bytes = json_dumps(root, JSON_INDENT(2));
    if (!bytes) return gw_fail(GW_ERR_MEMORY, "out of memory: JSON of a tokenizer");
    const gw_status status = gw_tokenizer_json_parse("tokenizer.json", bytes, (int64_t)strlen(bytes), out);
    free(bytes);
    return status;
}

gw_status gw_byte_level_new(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) {
    *out = NULL;
    json_t *root = NULL;
    char **texts = gw_alloc(GW_FIRST_BYTE_MERGE + count, sizeof *texts);
    gw_status status = texts ? spell(merges, count, texts) : GW_ERR_MEMORY;
    if (status == GW_OK) status = build(merges, count, texts, &root);
    if (status == GW_OK) status = read_back(root, out);
    for (int64_t i = 0; texts && i < GW_FIRST_BYTE_MERGE + count; i++) free(texts[i]);
    free(texts);
    json_decref(root);
    return status;
}
