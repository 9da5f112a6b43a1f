// SPDX-License-Identifier: MIT
// Reads modules.json, and checks that its paths stay below the folder.
#include "store/sentence_modules.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "file/json_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODULES = 64 }; // models have three or four; each makes requests where a model is fetched

const char gw_sentence_modules_file[] = "modules.json";
const char *const gw_sentence_files[] = {gw_sentence_modules_file, "config_sentence_transformers.json",
                                         "sentence_bert_config.json", NULL};
const char *const gw_sentence_module_files[] = {"config.json", "model.safetensors", "pytorch_model.bin", NULL};

// A path below the folder: without "." and "..", and not from the root.
static bool stays_below(const char *path) {
    if (*path == '/') return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t dots = strspn(part, ".");
        if ((dots == 1 || dots == 2) && (part[dots] == '/' || !part[dots])) return false;
    }
    return true;
}

static gw_status read_modules(const char *file, gw_sentence_modules *out) {
    const json_t *module;
    size_t i;
    GW_TRY(gw_json_file(file, &out->json));
    if (!json_is_array(out->json)) return gw_fail(GW_ERR_FORMAT, "%s: expected a list of modules", file);
    if (json_array_size(out->json) > MOST_MODULES)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s lists %zu modules, expected at most %d", file,
                       json_array_size(out->json), MOST_MODULES);
    out->items = gw_alloc(MOST_MODULES, sizeof *out->items);
    if (!out->items) return GW_ERR_MEMORY;
    json_array_foreach(out->json, i, module) {
        gw_sentence_module *to = &out->items[out->count];
        if (!json_is_object(module)) return gw_fail(GW_ERR_FORMAT, "%s: expected a list of objects", file);
        to->folder = "";
        GW_TRY(gw_json_string(module, file, "type", true, &to->type));
        GW_TRY(gw_json_string(module, file, "path", false, &to->folder));
        if (!stays_below(to->folder))
            return gw_fail(GW_ERR_FORMAT, "%s: \"path\" is \"%.80s\", which is not below the folder", file, to->folder);
        out->count++;
    }
    return GW_OK;
}

gw_status gw_sentence_modules_load(const char *folder, gw_sentence_modules *out) {
    *out = (gw_sentence_modules){0};
    char *file = gw_join_path(folder, gw_sentence_modules_file);
    if (!file) return GW_ERR_MEMORY;
    const gw_status status = gw_file_exists(file) ? read_modules(file, out) : GW_OK;
    free(file);
    return status;
}

void gw_sentence_modules_free(gw_sentence_modules *modules) {
    json_decref(modules->json);
    free(modules->items);
    *modules = (gw_sentence_modules){0};
}
