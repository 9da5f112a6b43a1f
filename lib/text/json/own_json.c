// SPDX-License-Identifier: MIT
// Puts the parts of a file together.
#include "text/json/own_json.h"

#include "base/memory.h"
#include "text/dna/vocabulary.h"

#include <stdlib.h>

const char *const gw_own_model =
    "{'type': 'BPE', 'dropout': null, 'unk_token': '[UNK]', 'continuing_subword_prefix': null,"
    " 'end_of_word_suffix': null, 'fuse_unk': false, 'byte_fallback': false, 'ignore_merges': false}";

const char *const gw_own_specials =
    "{'post_processor': {'type': 'TemplateProcessing',"
    "  'single': [{'SpecialToken': {'id': '[CLS]', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}},"
    "             {'SpecialToken': {'id': '[SEP]', 'type_id': 0}}],"
    "  'pair': [{'SpecialToken': {'id': '[CLS]', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}},"
    "           {'SpecialToken': {'id': '[SEP]', 'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 1}},"
    "           {'SpecialToken': {'id': '[SEP]', 'type_id': 1}}],"
    "  'special_tokens': {'[CLS]': {'id': '[CLS]', 'ids': [2], 'tokens': ['[CLS]']},"
    "                     '[SEP]': {'id': '[SEP]', 'ids': [3], 'tokens': ['[SEP]']}}}}";

json_t *gw_json_literal(const char *literal) {
    char *text = gw_strdup(literal);
    if (!text) return NULL;
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    if (!json) gw_fail(GW_ERR_MEMORY, "out of memory: JSON of a tokenizer");
    return json;
}

json_t *gw_own_added_token(int32_t id) {
    return json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:b}", "id", id, "content", gw_fixed_tokens[id], "single_word", 0,
                     "lstrip", 0, "rstrip", 0, "normalized", 0, "special", 1);
}

gw_status gw_own_json(const char *components, json_t *vocabulary, json_t *merges, double mean_bases, json_t **out) {
    json_t *added = json_array(), *parts = gw_json_literal(components), *specials = gw_json_literal(gw_own_specials);
    json_t *model = gw_json_literal(gw_own_model);
    for (int32_t i = 0; i < GW_SPECIAL_TOKENS; i++) json_array_append_new(added, gw_own_added_token(i));
    if (mean_bases > 0) json_object_set_new(model, "mean_bases_per_token", json_real(mean_bases));
    json_object_set(model, "vocab", vocabulary);
    json_object_set(model, "merges", merges);
    const bool whole = vocabulary && merges && added && parts && specials && model;
    *out = whole ? json_pack("{s:s, s:n, s:n, s:O}", "version", "1.0", "truncation", "padding", "added_tokens", added)
                 : NULL;
    json_object_update(*out, parts);
    json_object_update(*out, specials);
    json_object_set(*out, "model", model);
    json_t *const owned[] = {vocabulary, merges, added, parts, specials, model};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) json_decref(owned[i]);
    return *out ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory: JSON of a tokenizer");
}
