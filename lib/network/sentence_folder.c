// SPDX-License-Identifier: MIT
// Reads modules.json module by module, then the files beside the network.
#include "network/sentence_folder.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "store/checkpoint.h"
#include "store/sentence_modules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// What "pooling_mode" calls a vector, and the key of files that have one for each, in the order in which those stand.
static const struct {
    const char *name, *key;
} known_modes[GW_SENTENCE_MODES] = {
    [GW_SENTENCE_CLS] = {"cls", "pooling_mode_cls_token"},
    [GW_SENTENCE_MAX] = {"max", "pooling_mode_max_tokens"},
    [GW_SENTENCE_MEAN] = {"mean", "pooling_mode_mean_tokens"},
    [GW_SENTENCE_MEAN_SQRT] = {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"},
    [GW_SENTENCE_WEIGHTED] = {"weightedmean", "pooling_mode_weightedmean_tokens"},
    [GW_SENTENCE_LAST] = {"lasttoken", "pooling_mode_lasttoken"},
};

// The object in a file of the folder; NULL where there is none.
static gw_status load_object(const char *folder, const char *name, json_t **out, char **path) {
    *out = NULL;
    *path = gw_join_path(folder, name);
    if (!*path) return GW_ERR_MEMORY;
    return gw_file_exists(*path) ? gw_json_load(*path, out) : GW_OK;
}

static gw_status add_mode(gw_sentence_folder *f, const char *path, const char *name) {
    int i = 0;
    while (i < GW_SENTENCE_MODES && strcmp(known_modes[i].name, name) != 0) i++;
    if (i == GW_SENTENCE_MODES)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: \"pooling_mode\" is \"%.40s\", expected cls, max, mean, mean_sqrt_len_tokens, weightedmean "
                       "or lasttoken",
                       path, name);
    if (f->modes == GW_SENTENCE_MODES)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"pooling_mode\" lists more than %d", path, GW_SENTENCE_MODES);
    f->mode[f->modes++] = (gw_sentence_mode)i;
    return GW_OK;
}

static gw_status read_pooling_object(gw_sentence_folder *f, const json_t *json, const char *path) {
    const json_t *listed = json_object_get(json, "pooling_mode");
    if (f->modes > 0) return gw_fail(GW_ERR_UNSUPPORTED, "%s: a second pooling", path);
    if (json_is_array(listed)) {
        const json_t *item;
        size_t i;
        json_array_foreach(listed, i, item) {
            if (!json_is_string(item)) return gw_fail(GW_ERR_FORMAT, "%s: \"pooling_mode\" lists no names", path);
            GW_TRY(add_mode(f, path, json_string_value(item)));
        }
    } else if (listed && !json_is_null(listed)) {
        const char *name;
        GW_TRY(gw_json_string(json, path, "pooling_mode", true, &name));
        GW_TRY(add_mode(f, path, name));
    } else {
        for (int i = 0; i < GW_SENTENCE_MODES; i++) {
            bool is_set = false;
            GW_TRY(gw_json_bool(json, path, known_modes[i].key, false, &is_set));
            if (is_set) GW_TRY(add_mode(f, path, known_modes[i].name));
        }
    }
    if (f->modes == 0) GW_TRY(add_mode(f, path, "mean"));
    return gw_json_bool(json, path, "include_prompt", false, &f->pools_prompt);
}

static gw_status read_pooling(gw_sentence_folder *f, const char *folder) {
    char *path;
    json_t *json;
    gw_status status = load_object(folder, "config.json", &json, &path);
    if (status == GW_OK && !json) status = gw_fail(GW_ERR_IO, "there is no %s, which modules.json names", path);
    if (status == GW_OK) status = read_pooling_object(f, json, path);
    json_decref(json);
    free(path);
    return status;
}

static gw_status cannot_compute(gw_sentence_folder *f, const char *what) {
    if (!f->unsupported) f->unsupported = gw_strdup(what);
    return f->unsupported ? GW_OK : GW_ERR_MEMORY;
}

// Of tokens, which a config.json may name in place of the sentence, no vector of a sentence becomes one of length 1.
static gw_status read_normalize(gw_sentence_folder *f, const char *folder) {
    char *path;
    json_t *json;
    const char *input = "sentence_embedding";
    gw_status status = load_object(folder, "config.json", &json, &path);
    if (status == GW_OK && json) status = gw_json_string(json, path, "module_input_name", false, &input);
    if (status == GW_OK && strcmp(input, "sentence_embedding") != 0) status = cannot_compute(f, path);
    f->normalises = true;
    json_decref(json);
    free(path);
    return status;
}

static gw_status read_module(gw_sentence_folder *f, const char *folder, const gw_sentence_module *module) {
    const char *dot = strrchr(module->type, '.'), *class = dot ? dot + 1 : module->type;
    const bool own = gw_has_prefix(module->type, "sentence_transformers.");
    char *path = *module->folder ? gw_join_path(folder, module->folder) : gw_strdup(folder);
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status != GW_OK) return status;
    if (own && strcmp(class, "Transformer") == 0 && !f->network) {
        f->network = path;
        return GW_OK;
    }
    if (own && strcmp(class, "Pooling") == 0 && !f->normalises) status = read_pooling(f, path);
    else if (own && strcmp(class, "Normalize") == 0 && f->modes > 0) status = read_normalize(f, path);
    else if (!own || strcmp(class, "Dropout") != 0) status = cannot_compute(f, class);
    free(path);
    return status;
}

static gw_status read_modules(gw_sentence_folder *f, const char *folder, const gw_sentence_modules *modules) {
    for (int64_t i = 0; i < modules->count; i++) GW_TRY(read_module(f, folder, &modules->items[i]));
    if (!f->unsupported && (!f->network || f->modes == 0))
        GW_TRY(cannot_compute(f, f->network ? "no Pooling" : "no Transformer"));
    if (!f->unsupported) return GW_OK;
    char *name = f->unsupported;
    f->unsupported = gw_strprintf("%s/%s lists %s, which godwit does not compute; --pool names a vector that it does",
                                  folder, gw_sentence_modules_file, name);
    free(name);
    return f->unsupported ? GW_OK : GW_ERR_MEMORY;
}

// The key of the network's file, where both are there.
static gw_status read_length(gw_sentence_folder *f, const char *name, const char *key, bool with_case) {
    char *path;
    json_t *json;
    double tokens = 0;
    gw_status status = load_object(f->network, name, &json, &path);
    if (status == GW_OK && json) status = gw_json_double(json, path, key, false, &tokens);
    if (status == GW_OK && json && with_case) status = gw_json_bool(json, path, "do_lower_case", false, &f->lowers);
    if (status == GW_OK && tokens != 0 && tokens < 1)
        status = gw_fail(GW_ERR_RANGE, "%s: \"%s\" is %g, expected 1 or more", path, key, tokens);
    if (status == GW_OK && f->longest == 0 && tokens < INT_MAX) f->longest = (int64_t)tokens;
    json_decref(json);
    free(path);
    return status;
}

static gw_status read_prompt(gw_sentence_folder *f, const char *folder) {
    char *path;
    json_t *json;
    const char *name = NULL, *prompt = NULL;
    gw_status status = load_object(folder, "config_sentence_transformers.json", &json, &path);
    if (status == GW_OK && json) status = gw_json_string(json, path, "default_prompt_name", false, &name);
    if (status == GW_OK && name) {
        status = gw_json_string(json_object_get(json, "prompts"), path, name, true, &prompt);
        if (status == GW_OK && *prompt && !(f->prompt = gw_strdup(prompt))) status = GW_ERR_MEMORY;
    }
    json_decref(json);
    free(path);
    return status;
}

gw_status gw_sentence_folder_read(const char *model, gw_sentence_folder *out) {
    char *folder;
    gw_sentence_modules modules;
    *out = (gw_sentence_folder){.pools_prompt = true};
    GW_TRY(gw_checkpoint_folder(model, &folder));
    gw_status status = gw_sentence_modules_load(folder, &modules);
    if (status == GW_OK && modules.json) {
        status = read_modules(out, folder, &modules);
        if (status == GW_OK && out->network)
            status = read_length(out, "sentence_bert_config.json", "max_seq_length", true);
        if (status == GW_OK && out->network)
            status = read_length(out, "tokenizer_config.json", "model_max_length", false);
        if (status == GW_OK) status = read_prompt(out, folder);
    }
    gw_sentence_modules_free(&modules);
    free(folder);
    return status;
}

void gw_sentence_folder_free(gw_sentence_folder *folder) {
    free(folder->network);
    free(folder->prompt);
    free(folder->unsupported);
    *folder = (gw_sentence_folder){0};
}
