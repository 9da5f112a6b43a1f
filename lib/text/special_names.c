// SPDX-License-Identifier: MIT
// Looks the names up in the files beside the tokenizer, then among the usual ones.
#include "text/special_names.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    const char *names[4];
} uses[GW_SPECIAL_KINDS] = {
    [GW_SPECIAL_PAD] = {"pad_token", {"[PAD]", "<pad>", "<|pad|>", "<|padding|>"}},
    [GW_SPECIAL_UNK] = {"unk_token", {"[UNK]", "<unk>"}},
    [GW_SPECIAL_CLS] = {"cls_token", {"[CLS]", "<cls>", "<s>"}},
    [GW_SPECIAL_SEP] = {"sep_token", {"[SEP]", "<sep>", "</s>"}},
    [GW_SPECIAL_MASK] = {"mask_token", {"[MASK]", "<mask>"}},
};

static int32_t find_token(const gw_tokenizer *t, const char *text) {
    for (int32_t i = 0; i < t->size; i++)
        if (t->texts[i] && strcmp(t->texts[i], text) == 0) return i;
    return -1;
}

// The names that a file gives, as "cls_token": "[CLS]" or {"content": "[CLS]"}.
static gw_status read_names(const char *path, gw_tokenizer *t) {
    json_t *json;
    if (!gw_file_exists(path)) return GW_OK;
    GW_TRY(gw_json_load(path, &json));
    for (int use = 0; use < GW_SPECIAL_KINDS; use++) {
        const json_t *value = json_object_get(json, uses[use].key), *content = json_object_get(value, "content");
        const char *name = json_string_value(content ? content : value);
        const int32_t token = name ? find_token(t, name) : -1;
        if (token >= 0) t->specials[use] = token;
    }
    json_decref(json);
    return GW_OK;
}

static gw_status read_beside(const char *path, size_t folder, const char *name, gw_tokenizer *t) {
    char *beside = gw_strprintf("%.*s%s", (int)folder, path, name);
    if (!beside) return GW_ERR_MEMORY;
    const gw_status status = read_names(beside, t);
    free(beside);
    return status;
}

gw_status gw_special_names_find(const char *path, gw_tokenizer *t) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (int use = 0; use < GW_SPECIAL_KINDS; use++)
        for (size_t i = 0; i < 4 && uses[use].names[i] && t->specials[use] < 0; i++)
            t->specials[use] = find_token(t, uses[use].names[i]);
    if (strcmp(name, "tokenizer.json") != 0 && strcmp(name, "vocab.json") != 0 && strcmp(name, "vocab.txt") != 0 &&
        strcmp(name, "spiece.model") != 0)
        return GW_OK;
    GW_TRY(read_beside(path, (size_t)(name - path), "special_tokens_map.json", t));
    return read_beside(path, (size_t)(name - path), "tokenizer_config.json", t);
}
