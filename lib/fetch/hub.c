// SPDX-License-Identifier: MIT
// Asks for the files by the names that they have; what may be missing is no error.
#include "fetch/hub.h"

#include "base/memory.h"
#include "base/output.h"
#include "fetch/catalogue.h"
#include "store/sentence_modules.h"
#include "store/weight_index.h"

#include <stdlib.h>
#include <string.h>

enum { COMMIT_DIGITS = 40 };

void gw_hub_free(gw_hub_model *model) {
    free(model->owner);
    free(model->name);
    free(model->revision);
    *model = (gw_hub_model){0};
}

gw_status gw_hub_parse(const char *text, gw_hub_model *out) {
    const char *owner = text + strlen(GW_HUB_PREFIX);
    const size_t owner_length = strcspn(owner, "/");
    const char *name = owner + owner_length + (owner[owner_length] == '/');
    const size_t name_length = strcspn(name, "@");
    *out = (gw_hub_model){.owner = gw_strndup(owner, owner_length),
                          .name = gw_strndup(name, name_length),
                          .revision = gw_strdup(name[name_length] ? name + name_length + 1 : "main")};
    if (!out->owner || !out->name || !out->revision) return GW_ERR_MEMORY;
    if (gw_is_plain_name(out->owner) && gw_is_plain_name(out->name) && gw_is_plain_name(out->revision)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "'%s': expected hf:OWNER/NAME or hf:OWNER/NAME@REVISION", text);
}

char *gw_hub_url(const gw_hub_model *m, const char *file) {
    const char *base = getenv("HF_ENDPOINT");
    if (!base || !*base) base = "https://huggingface.co";
    const int length = (int)strlen(base) - (base[strlen(base) - 1] == '/');
    return gw_strprintf("%.*s/%s/%s/resolve/%s/%s", length, base, m->owner, m->name, m->revision, file);
}

static bool is_commit(const char *revision) {
    return strlen(revision) == COMMIT_DIGITS && strspn(revision, "0123456789abcdef") == COMMIT_DIGITS;
}

// A server could send without end: the largest vocabularies have tens of megabytes, cards some kilobytes.
static int64_t most_bytes(const char *name) {
    if (strcmp(name, "README.md") == 0) return INT64_C(1) << 24;
    return strstr(name, ".json") || strstr(name, ".txt") || strstr(name, ".model") ? INT64_C(1) << 28
                                                                                   : INT64_C(1) << 40;
}

// below: the folder that the file lies in, NULL for that of the model.
static gw_status take_from(const gw_hub_model *model, gw_staging *staging, const char *below, const char *name,
                           bool *found) {
    char *path = below ? gw_join_path(below, name) : gw_strdup(name), *url = path ? gw_hub_url(model, path) : NULL;
    free(path);
    if (!url) return GW_ERR_MEMORY;
    const gw_wanted_file file = {.name = name,
                                 .below = below,
                                 .url = url,
                                 .bytes = -1,
                                 .most = most_bytes(name),
                                 .pinned = is_commit(model->revision),
                                 .of_hub = true};
    const gw_status status = gw_staging_take(staging, &file, found);
    free(url);
    return status;
}

static gw_status take(const gw_hub_model *model, gw_staging *staging, const char *name, bool *found) {
    return take_from(model, staging, NULL, name, found);
}

static gw_status missing(const gw_hub_model *model, const char *name, const char *hint) {
    char *url = gw_hub_url(model, name);
    if (!url) return GW_ERR_MEMORY;
    const gw_status status = gw_fail(GW_ERR_IO, "there is no %s%s", url, hint);
    free(url);
    return status;
}

static gw_status take_needed(const gw_hub_model *model, gw_staging *staging, const char *name, const char *hint) {
    bool found;
    GW_TRY(take(model, staging, name, &found));
    return found ? GW_OK : missing(model, name, hint);
}

// The tokenizer's files, and what else belongs to a model that has it.
static gw_status take_others(const gw_hub_model *model, gw_staging *staging) {
    static const char *const names[] = {"tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "spiece.model",
                                        "sentencepiece.bpe.model",
                                        "tokenizer.model",
                                        "vocab.json",
                                        "merges.txt",
                                        "vocab.txt",
                                        "generation_config.json",
                                        "README.md"};
    bool found;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) GW_TRY(take(model, staging, names[i], &found));
    return GW_OK;
}

// Each module has its settings, and some their weights, in a folder of its own; the network lies beside modules.json.
static gw_status take_module(const gw_hub_model *model, gw_staging *staging, const gw_sentence_module *module) {
    const char *dot = strrchr(module->type, '.');
    bool found;
    if (!*module->folder) return GW_OK;
    if (!gw_is_plain_name(module->folder))
        return gw_fail(GW_ERR_FORMAT, "%s/%s: \"path\" is \"%.80s\", expected the name of a folder", staging->folder,
                       gw_sentence_modules_file, module->folder);
    if (strcmp(dot ? dot + 1 : module->type, "Transformer") == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s/%s: the network is in the folder \"%s\", expected it beside this file",
                       staging->folder, gw_sentence_modules_file, module->folder);
    for (const char *const *name = gw_sentence_module_files; *name; name++) {
        GW_TRY(take_from(model, staging, module->folder, *name, &found));
        if (found && strcmp(*name, "model.safetensors") == 0) break; // the same weights as in the last file
    }
    return GW_OK;
}

static gw_status take_modules(const gw_hub_model *model, gw_staging *staging) {
    gw_sentence_modules modules;
    bool found;
    for (const char *const *name = gw_sentence_files; *name; name++) GW_TRY(take(model, staging, *name, &found));
    gw_status status = gw_sentence_modules_load(staging->folder, &modules);
    for (int64_t i = 0; status == GW_OK && i < modules.count; i++)
        status = take_module(model, staging, &modules.items[i]);
    gw_sentence_modules_free(&modules);
    return status;
}

static gw_status take_shards(const gw_hub_model *model, gw_staging *staging, const char *index_name) {
    gw_weight_index index;
    char *path = gw_join_path(staging->folder, index_name);
    if (!path) return GW_ERR_MEMORY;
    gw_status status = gw_weight_index_load(path, &index);
    free(path);
    GW_TRY(status);
    for (int64_t i = 0; status == GW_OK && i < index.file_count; i++) {
        const char *name = strrchr(index.files[i], '/') + 1;
        status = gw_is_plain_name(name) ? take_needed(model, staging, name, ", which the index of the weights names")
                                        : gw_fail(GW_ERR_FORMAT, "%s names the file '%s'", index_name, name);
    }
    gw_weight_index_free(&index);
    return status;
}

static gw_status take_weights(const gw_hub_model *model, gw_staging *staging) {
    static const char *const names[] = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                        "pytorch_model.bin.index.json"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        GW_TRY(take(model, staging, names[i], &found));
        if (found) return strstr(names[i], ".index.") ? take_shards(model, staging, names[i]) : GW_OK;
    }
    return missing(model, names[0], ", no pytorch_model.bin and no index of either: the model has no weights to read");
}

gw_status gw_hub_take(const gw_hub_model *model, gw_staging *staging) {
    GW_TRY(take_needed(model, staging, "config.json", ": no such model or revision, or one that is not public"));
    GW_TRY(take_others(model, staging));
    GW_TRY(take_modules(model, staging));
    return take_weights(model, staging);
}
