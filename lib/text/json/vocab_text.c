// SPDX-License-Identifier: MIT
// Writes the vocabulary and the folder's settings as the JSON of a pipeline, and reads that.
#include "text/json/vocab_text.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "text/json/folder_parts.h"

#include <stdlib.h>
#include <string.h>

static const char vocabulary_file[] = "vocab.txt";

bool gw_is_vocab_text(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, vocabulary_file) == 0;
}

// Line i, counted from 0, is token i.
static gw_status read_lines(const char *path, char *text, json_t *vocabulary) {
    int64_t id = 0;
    for (char *line = text, *next; *line; line = next, id++) {
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        *end = 0;
        if (end > line && end[-1] == '\r') *--end = 0;
        if (json_object_get(vocabulary, line))
            return gw_fail(GW_ERR_FORMAT, "%s:%lld: the token \"%.60s\" is there already", path, (long long)id + 1,
                           line);
        if (json_object_set_new(vocabulary, line, json_integer(id)) != 0)
            return gw_fail(GW_ERR_FORMAT, "%s:%lld: the token is not UTF-8", path, (long long)id + 1);
    }
    return GW_OK;
}

static gw_status read_vocabulary(const char *path, json_t *vocabulary) {
    char *text;
    int64_t length;
    GW_TRY(gw_read_file(path, &text, &length));
    gw_status status = (int64_t)strlen(text) == length ? read_lines(path, text, vocabulary)
                                                       : gw_fail(GW_ERR_FORMAT, "%s: a zero byte in it", path);
    free(text);
    return status;
}

// The token that a setting names, or the usual one.
static const char *named(const json_t *settings, const char *key, const char *usual) {
    const json_t *value = json_object_get(settings, key), *content = json_object_get(value, "content");
    const char *name = json_string_value(content ? content : value);
    return name ? name : usual;
}

static json_t *post_processor(const json_t *settings, const json_t *vocabulary) {
    const char *cls = named(settings, "cls_token", "[CLS]"), *sep = named(settings, "sep_token", "[SEP]");
    const json_t *first = json_object_get(vocabulary, cls), *last = json_object_get(vocabulary, sep);
    if (!first || !last) return json_null();
    return json_pack("{s:s, s:[s, I], s:[s, I]}", "type", "BertProcessing", "sep", sep, json_integer_value(last), "cls",
                     cls, json_integer_value(first));
}

static gw_status read_normalizer(const char *folder, const json_t *settings, json_t **out) {
    bool lower = true, chinese = true;
    GW_TRY(gw_json_bool(settings, folder, "do_lower_case", false, &lower));
    GW_TRY(gw_json_bool(settings, folder, "tokenize_chinese_chars", false, &chinese));
    bool accents = lower;
    GW_TRY(gw_json_bool(settings, folder, "strip_accents", false, &accents));
    *out = json_pack("{s:s, s:b, s:b, s:b, s:b}", "type", "BertNormalizer", "clean_text", 1, "handle_chinese_chars",
                     chinese, "strip_accents", accents, "lowercase", lower);
    return GW_OK;
}

static json_t *pipeline_json(const json_t *settings, json_t *vocabulary, json_t *added, json_t *normalizer) {
    return json_pack("{s:s, s:O, s:o, s:{s:s}, s:o, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:s, s:i, s:O}}", "version", "1.0",
                     "added_tokens", added, "normalizer", normalizer, "pre_tokenizer", "type", "BertPreTokenizer",
                     "post_processor", post_processor(settings, vocabulary), "decoder", "type", "WordPiece", "prefix",
                     "##", "cleanup", 1, "model", "type", "WordPiece", "unk_token",
                     named(settings, "unk_token", "[UNK]"), "continuing_subword_prefix", "##",
                     "max_input_chars_per_word", 100, "vocab", vocabulary);
}

static gw_status load(const char *folder, const char *path, gw_tokenizer **out) {
    json_t *settings = NULL, *map = NULL, *normalizer = NULL, *vocabulary = json_object(), *added = json_array();
    gw_status status = vocabulary && added ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory: %s", path);
    if (status == GW_OK) status = gw_folder_json(folder, "tokenizer_config.json", false, &settings);
    if (status == GW_OK) status = gw_folder_json(folder, "special_tokens_map.json", false, &map);
    if (status == GW_OK) status = read_vocabulary(path, vocabulary);
    if (status == GW_OK) status = read_normalizer(folder, settings, &normalizer);
    if (status == GW_OK) {
        if (settings) gw_list_specials(added, vocabulary, settings);
        if (map) gw_list_specials(added, vocabulary, map);
        gw_list_specials(added, vocabulary, NULL);
        json_t *json = pipeline_json(settings, vocabulary, added, normalizer);
        status = gw_folder_tokenizer(folder, vocabulary_file, json, out);
        json_decref(json);
    }
    json_decref(settings);
    json_decref(map);
    json_decref(vocabulary);
    json_decref(added);
    return status;
}

gw_status gw_vocab_text_load(const char *path, gw_tokenizer **out) {
    const char *slash = strrchr(path, '/');
    *out = NULL;
    char *folder = slash ? gw_strndup(path, (size_t)(slash - path)) : gw_strdup(".");
    const gw_status status = folder ? load(*folder ? folder : "/", path, out) : GW_ERR_MEMORY;
    free(folder);
    return status;
}
