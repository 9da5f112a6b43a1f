// SPDX-License-Identifier: MIT
// Looks the folder's files up, and lists what they call special.
#include "text/json/folder_parts.h"

#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>

bool gw_folder_has(const char *folder, const char *name) {
    char *path = gw_join_path(folder, name);
    const bool there = path && gw_file_exists(path);
    free(path);
    return there;
}

gw_status gw_folder_json(const char *folder, const char *name, bool required, json_t **out) {
    *out = NULL;
    if (!required && !gw_folder_has(folder, name)) return GW_OK;
    char *path = gw_join_path(folder, name);
    if (!path) return GW_ERR_MEMORY;
    const gw_status status = gw_json_load(path, out);
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
void gw_list_specials(json_t *added, const json_t *vocabulary, const json_t *named) {
    static const char *const usual[] = {"<s>",   "<pad>", "</s>",  "<unk>", "<mask>", "<|endoftext|>",
                                        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
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

gw_status gw_folder_tokenizer(const char *folder, const char *file, const json_t *json, gw_tokenizer **out) {
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL, *path = gw_join_path(folder, file);
    gw_status status = GW_OK;
    if (!text) status = gw_fail(GW_ERR_MEMORY, "out of memory: the tokenizer of %s", folder);
    else if (!path) status = GW_ERR_MEMORY;
    else status = gw_tokenizer_json_parse(path, text, (int64_t)strlen(text), out);
    free(text);
    free(path);
    return status;
}
