// SPDX-License-Identifier: MIT
// Writes the two files' content as the JSON of a pipeline, and reads that.
#include "text/json/vocab_merges.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "text/json/folder_parts.h"

#include <stdlib.h>
#include <string.h>

static const char vocabulary_file[] = "vocab.json", merges_file[] = "merges.txt";

bool gw_is_vocab_json(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, vocabulary_file) == 0;
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

static gw_status load(const char *folder, gw_tokenizer **out) {
    json_t *vocabulary = NULL, *config = NULL, *map = NULL, *json = NULL, *merges = json_array(), *added = json_array();
    bool space = false;
    *out = NULL;
    gw_status status = merges && added ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory: the tokenizer of %s", folder);
    if (status == GW_OK && gw_folder_has(folder, "added_tokens.json"))
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "%s: added_tokens.json beside vocab.json; expected a tokenizer.json", folder);
    if (status == GW_OK) status = gw_folder_json(folder, vocabulary_file, true, &vocabulary);
    if (status == GW_OK) status = gw_folder_json(folder, "tokenizer_config.json", false, &config);
    if (status == GW_OK) status = gw_folder_json(folder, "special_tokens_map.json", false, &map);
    if (status == GW_OK) status = gw_json_bool(config, folder, "add_prefix_space", false, &space);
    if (status == GW_OK) status = read_merges(folder, merges);
    if (status == GW_OK) {
        if (config) gw_list_specials(added, vocabulary, config);
        if (map) gw_list_specials(added, vocabulary, map);
        gw_list_specials(added, vocabulary, NULL);
        json = pipeline_json(vocabulary, merges, added, space);
        status = gw_folder_tokenizer(folder, vocabulary_file, json, out);
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
