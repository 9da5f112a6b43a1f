// SPDX-License-Identifier: MIT
// modules.json of the package sentence-transformers: the processing steps of a text, in order, and the folder of each
// module:
// [{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}, ...].
#ifndef GW_STORE_SENTENCE_MODULES_H
#define GW_STORE_SENTENCE_MODULES_H

#include "base/status.h"

#include <jansson.h>
#include <stdint.h>

typedef struct {
    const char *type;
    const char *folder; // a name or a path below the folder of modules.json; "": the folder itself
} gw_sentence_module;

typedef struct {
    json_t *json; // NULL: no modules.json
    gw_sentence_module *items;
    int64_t count;
} gw_sentence_modules;

// Files that belong to modules.json, and files that a module's folder may have; NULL ends a list.
extern const char gw_sentence_modules_file[];
extern const char *const gw_sentence_files[], *const gw_sentence_module_files[];

// Reads the folder's modules.json, if it exists. A path that leads out of the folder is GW_ERR_FORMAT. Free `out` with
// gw_sentence_modules_free(), also after a failure.
gw_status gw_sentence_modules_load(const char *folder, gw_sentence_modules *out) GW_MUST_CHECK;
void gw_sentence_modules_free(gw_sentence_modules *modules);

#endif
