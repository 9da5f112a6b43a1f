// SPDX-License-Identifier: MIT
// Writes the two files' content as the JSON of a pipeline, and reads that.
#include "text/json/vocab_merges.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>

static const char vocabulary_file[] = "vocab.json", merges_file[] = "merges.txt";

static bool is_there(const char *folder, const char *name) {
    char *path = gw_join_path(folder, name);
    const bool there = path && gw_file_exists(path);
    free(path);
    return there;
}

bool gw_is_vocab_json(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, vocabulary_file) == 0;
}

// A JSON file of the folder; NULL where it may be missing and is.
static gw_status load_json(const char *folder, const char *name, bool required, json_t **out) {
    *out = NULL;
    if (!required && !is_there(folder, name)) return GW_OK;
    char *path = gw_join_path(folder, name);
    if (!path) return GW_ERR_MEMORY;
    const gw_status status = gw_json_load(path, out);
    free(path);
    return status;
}

// The lines "a b" of merges.txt but for "#version: ..".
static gw_status read_merges(const char *folder, json_t *merges) {
    char *path = gw_join_path(folder, merges_file), *text = NULL;
    int64_t length;
    gw_status status = path ? gw_read_file(path, &text, &length) : GW_ERR_MEMORY;
    if (status == GW_OK && (int64_t)strlen(text) != length)
        status = gw_fail(GW_ERR_FORMAT, "%s: a zero byte in it", path);
    for (char *line = text, *next; status == GW_OK && line && *line; line = next) {
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        *end = 0;
        if (end > line && end[-1] == '\r') *--end = 0;
        if (end == line || strncmp(line, "#version", 8) == 0) continue;
        if (json_array_append_new(merges, json_string(line)) != 0)
            status = gw_fail(GW_ERR_FORMAT, "%s: the line \"%.60s\" is not UTF-8", path, line);
    }
    free(text);
    free(path);
    return status;
}

// `settings` may say whether the token takes in white space around it: {"lstrip", "rstrip"}.
static void add_special(json_t *added, const json_t *vocabulary, const char *name, const json_t *settings) {
    const json_t *id = json_object_get(vocabulary, name);
    if (!json_is_integer(id)) return;
    for (size_t i = 0; i < json_array_size(added); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(added, i), "content")), name) == 0) return;
    json_array_append_new(
        added, json_pack("{s:I, s:s, s:b, s:b, s:b, s:b, s:b}", "id", json_integer_value(id), "content", name,
                         "single_word", 0, "lstrip", json_is_true(json_object_get(settings, "lstrip")), "rstrip",
                         json_is_true(json_object_get(settings, "rstrip")), "normalized", 0, "special", 1));
}

// Tokens that a file of the folder names as "..._token"; without a file those with usual names.
static void list_specials(json_t *added, const json_t *vocabulary, const json_t *named) {
    static const char *const usual[] = {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)named, key, value) {
        const json_t *content = json_object_get(value, "content");
        const char *name = json_string_value(content ? content : value);
        const size_t length = strlen(key);
        if (name && length > 6 && strcmp(key + length - 6, "_token") == 0)
            add_special(added, vocabulary, name, content ? value : NULL);
    }
    for (size_t i = 0; !named && i < sizeof usual / sizeof *usual; i++) add_special(added, vocabulary, usual[i], NULL);
}

static json_t *post_processor(const json_t *vocabulary, bool space) {
    const json_t *begin = json_object_get(vocabulary, "<s>"), *end = json_object_get(vocabulary, "</s>");
    if (!begin || !end)
        return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 1, "trim_offsets", 0,
                         "use_regex", 1);
    return json_pack("{s:s, s:[s, I], s:[s, I], s:b, s:b}", "type", "RobertaProcessing", "sep", "</s>",
                     json_integer_value(end), "cls", "<s>", json_integer_value(begin), "trim_offsets", 1,
                     "add_prefix_space", space);
}

static json_t *byte_level(bool space) {
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", space, "trim_offsets", 1,
                     "use_regex", 1);
}

static json_t *pipeline_json(json_t *vocabulary, json_t *merges, json_t *added, bool space) {
    json_t *model = json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:O, s:O}", "type", "BPE", "dropout",
                              "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
                              "byte_fallback", 0, "ignore_merges", 0, "vocab", vocabulary, "merges", merges);
    return json_pack("{s:s, s:n, s:n, s:O, s:n, s:o, s:o, s:o, s:o}", "version", "1.0", "truncation", "padding",
                     "added_tokens", added, "normalizer", "pre_tokenizer", byte_level(space), "post_processor",
                     post_processor(vocabulary, space), "decoder", byte_level(true), "model", model);
}

// The tokenizer of the JSON, which saving writes as a tokenizer.json.
static gw_status parse(const char *folder, const json_t *json, gw_tokenizer **out) {
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL, *path = gw_join_path(folder, vocabulary_file);
    gw_status status = GW_OK;
    if (!text) status = gw_fail(GW_ERR_MEMORY, "out of memory: the tokenizer of %s", folder);
    else if (!path) status = GW_ERR_MEMORY;
    else status = gw_tokenizer_json_parse(path, text, (int64_t)strlen(text), out);
    free(text);
    free(path);
    return status;
}

static gw_status load(const char *folder, gw_tokenizer **out) {
    json_t *vocabulary = NULL, *config = NULL, *map = NULL, *json = NULL, *merges = json_array(), *added = json_array();
    bool space = false;
    *out = NULL;
    gw_status status = merges && added ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory: the tokenizer of %s", folder);
    if (status == GW_OK && is_there(folder, "added_tokens.json"))
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "%s: added_tokens.json beside vocab.json; expected a tokenizer.json", folder);
    if (status == GW_OK) status = load_json(folder, vocabulary_file, true, &vocabulary);
    if (status == GW_OK) status = load_json(folder, "tokenizer_config.json", false, &config);
    if (status == GW_OK) status = load_json(folder, "special_tokens_map.json", false, &map);
    if (status == GW_OK) status = gw_json_bool(config, folder, "add_prefix_space", false, &space);
    if (status == GW_OK) status = read_merges(folder, merges);
    if (status == GW_OK) {
        if (config) list_specials(added, vocabulary, config);
        if (map) list_specials(added, vocabulary, map);
        list_specials(added, vocabulary, NULL);
        json = pipeline_json(vocabulary, merges, added, space);
        status = parse(folder, json, out);
    }
    json_decref(json);
    json_decref(vocabulary);
    json_decref(config);
    json_decref(map);
    json_decref(merges);
    json_decref(added);
    return status;
}

gw_status gw_vocab_merges_load(const char *path, gw_tokenizer **out) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? gw_strndup(path, (size_t)(slash - path)) : gw_strdup(".");
    const gw_status status = folder ? load(*folder ? folder : "/", out) : GW_ERR_MEMORY;
    free(folder);
    return status;
}
