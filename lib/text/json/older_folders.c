// SPDX-License-Identifier: MIT
// Reads folders with separate vocabulary files like the tokenizer.json that transformers makes from them.
#include "text/json/older_folders.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>

static bool folder_has(const char *folder, const char *name) {
    char *path = gw_join_path(folder, name);
    const bool there = path && gw_file_exists(path);
    free(path);
    return there;
}

gw_status gw_folder_json(const char *folder, const char *name, bool required, json_t **out) {
    *out = NULL;
    if (!required && !folder_has(folder, name)) return GW_OK;
    char *path = gw_join_path(folder, name);
    if (!path) return GW_ERR_MEMORY;
    const gw_status status = gw_json_load(path, out);
    free(path);
    return status;
}

char *gw_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return gw_strdup(".");
    return slash == path ? gw_strdup("/") : gw_strndup(path, (size_t)(slash - path));
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
static void list_named(json_t *added, const json_t *vocabulary, const json_t *named) {
    static const char *const usual[] = {"<s>",   "<pad>", "</s>",  "<unk>", "<mask>", "<|endoftext|>",
                                        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)named, key, value) {
        const json_t *content = json_object_get(value, "content");
        const char *name = json_string_value(content ? content : value);
        if (name && gw_has_suffix(key, "_token")) add_special(added, vocabulary, name, content ? value : NULL);
    }
    for (size_t i = 0; !named && i < sizeof usual / sizeof *usual; i++) add_special(added, vocabulary, usual[i], NULL);
}

// The special tokens that the folder's files name, and those with usual names.
static void list_specials(json_t *added, const json_t *vocabulary, const json_t *settings, const json_t *map) {
    if (settings) list_named(added, vocabulary, settings);
    if (map) list_named(added, vocabulary, map);
    list_named(added, vocabulary, NULL);
}

// The tokenizer of the JSON (NULL: out of memory), which saving writes as a tokenizer.json; `file` is the folder's, for
// messages and for what stands beside it.
static gw_status folder_tokenizer(const char *folder, const char *file, const json_t *json, gw_tokenizer **out) {
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL, *path = gw_join_path(folder, file);
    gw_status status = GW_OK;
    if (!text) status = gw_fail(GW_ERR_MEMORY, "out of memory: the tokenizer of %s", folder);
    else if (!path) status = GW_ERR_MEMORY;
    else status = gw_tokenizer_json_parse(path, text, (int64_t)strlen(text), out);
    free(text);
    free(path);
    return status;
}

// --- vocab.json and merges.txt -------------------------------------------------------------------------------------

static const char vocabulary_file[] = "vocab.json", merges_file[] = "merges.txt";

bool gw_is_vocab_json(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, vocabulary_file) == 0;
}

// Ends the line at *next with a zero byte, without "\r\n" or "\n", moves *next behind it, and returns it; NULL: none is
// left.
static char *cut_line(char **next) {
    char *line = *next, *end = line + strcspn(line, "\n");
    if (!*line) return NULL;
    *next = *end ? end + 1 : end;
    *end = 0;
    if (end > line && end[-1] == '\r') end[-1] = 0;
    return line;
}

// The lines "a b" of merges.txt but for "#version: ..".
static gw_status read_merges(const char *folder, json_t *merges) {
    char *path = gw_join_path(folder, merges_file), *text = NULL;
    int64_t length;
    gw_status status = path ? gw_read_file(path, &text, &length) : GW_ERR_MEMORY;
    if (status == GW_OK && (int64_t)strlen(text) != length)
        status = gw_fail(GW_ERR_FORMAT, "%s: a zero byte in it", path);
    for (char *next = text, *line; status == GW_OK && next && (line = cut_line(&next)) != NULL;) {
        if (!*line || gw_has_prefix(line, "#version")) continue;
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

gw_status gw_vocab_merges_load(const char *path, gw_tokenizer **out) {
    char *folder = gw_folder_of(path);
    json_t *vocabulary = NULL, *config = NULL, *map = NULL, *json = NULL, *merges = json_array(), *added = json_array();
    bool space = false;
    *out = NULL;
    gw_status status = folder ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && (!merges || !added))
        status = gw_fail(GW_ERR_MEMORY, "out of memory: the tokenizer of %s", folder);
    if (status == GW_OK && folder_has(folder, "added_tokens.json"))
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "%s: added_tokens.json beside vocab.json; expected a tokenizer.json", folder);
    if (status == GW_OK) status = gw_folder_json(folder, vocabulary_file, true, &vocabulary);
    if (status == GW_OK) status = gw_folder_json(folder, "tokenizer_config.json", false, &config);
    if (status == GW_OK) status = gw_folder_json(folder, "special_tokens_map.json", false, &map);
    if (status == GW_OK) status = gw_json_bool(config, folder, "add_prefix_space", false, &space);
    if (status == GW_OK) status = read_merges(folder, merges);
    if (status == GW_OK) {
        list_specials(added, vocabulary, config, map);
        json_t *model = json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:O, s:O}", "type", "BPE", "dropout",
                                  "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
                                  "byte_fallback", 0, "ignore_merges", 0, "vocab", vocabulary, "merges", merges);
        json = json_pack("{s:s, s:n, s:n, s:O, s:n, s:o, s:o, s:o, s:o}", "version", "1.0", "truncation", "padding",
                         "added_tokens", added, "normalizer", "pre_tokenizer", byte_level(space), "post_processor",
                         post_processor(vocabulary, space), "decoder", byte_level(true), "model", model);
        status = folder_tokenizer(folder, vocabulary_file, json, out);
    }
    json_decref(json);
    json_decref(vocabulary);
    json_decref(config);
    json_decref(map);
    json_decref(merges);
    json_decref(added);
    free(folder);
    return status;
}

// --- vocab.txt -----------------------------------------------------------------------------------------------------

static const char vocab_txt[] = "vocab.txt";

bool gw_is_vocab_text(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, vocab_txt) == 0;
}

// Line i, counted from 0, is token i.
static gw_status read_lines(const char *path, char *text, json_t *vocabulary) {
    int64_t id = 0;
    for (char *line; (line = cut_line(&text)) != NULL; id++) {
        if (json_object_get(vocabulary, line))
            return gw_fail(GW_ERR_FORMAT, "%s:%lld: the token \"%.60s\" occurs twice", path, (long long)id + 1, line);
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

static json_t *bert_post_processor(const json_t *settings, const json_t *vocabulary) {
    const char *cls = named(settings, "cls_token", "[CLS]"), *sep = named(settings, "sep_token", "[SEP]");
    const json_t *first = json_object_get(vocabulary, cls), *last = json_object_get(vocabulary, sep);
    if (!first || !last) return json_null();
    return json_pack("{s:s, s:[s, I], s:[s, I]}", "type", "BertProcessing", "sep", sep, json_integer_value(last), "cls",
                     cls, json_integer_value(first));
}

gw_status gw_vocab_text_load(const char *path, gw_tokenizer **out) {
    char *folder = gw_folder_of(path);
    bool lower = true, chinese = true;
    json_t *settings = NULL, *map = NULL, *vocabulary = json_object(), *added = json_array();
    *out = NULL;
    gw_status status = folder ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && (!vocabulary || !added)) status = gw_fail(GW_ERR_MEMORY, "out of memory: %s", path);
    if (status == GW_OK) status = gw_folder_json(folder, "tokenizer_config.json", false, &settings);
    if (status == GW_OK) status = gw_folder_json(folder, "special_tokens_map.json", false, &map);
    if (status == GW_OK) status = read_vocabulary(path, vocabulary);
    if (status == GW_OK) status = gw_json_bool(settings, folder, "do_lower_case", false, &lower);
    if (status == GW_OK) status = gw_json_bool(settings, folder, "tokenize_chinese_chars", false, &chinese);
    bool accents = lower;
    if (status == GW_OK) status = gw_json_bool(settings, folder, "strip_accents", false, &accents);
    if (status == GW_OK) {
        list_specials(added, vocabulary, settings, map);
        json_t *normalizer = json_pack("{s:s, s:b, s:b, s:b, s:b}", "type", "BertNormalizer", "clean_text", 1,
                                       "handle_chinese_chars", chinese, "strip_accents", accents, "lowercase", lower);
        json_t *json = json_pack(
            "{s:s, s:O, s:o, s:{s:s}, s:o, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:s, s:i, s:O}}", "version", "1.0",
            "added_tokens", added, "normalizer", normalizer, "pre_tokenizer", "type", "BertPreTokenizer",
            "post_processor", bert_post_processor(settings, vocabulary), "decoder", "type", "WordPiece", "prefix", "##",
            "cleanup", 1, "model", "type", "WordPiece", "unk_token", named(settings, "unk_token", "[UNK]"),
            "continuing_subword_prefix", "##", "max_input_chars_per_word", 100, "vocab", vocabulary);
        status = folder_tokenizer(folder, vocab_txt, json, out);
        json_decref(json);
    }
    json_decref(settings);
    json_decref(map);
    json_decref(vocabulary);
    json_decref(added);
    free(folder);
    return status;
}
