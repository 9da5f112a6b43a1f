// SPDX-License-Identifier: MIT
// The index of sharded weights (transformers' *.index.json): {"weight_map": {tensor: file}, "metadata": {...}}.
#ifndef GW_STORE_WEIGHT_INDEX_H
#define GW_STORE_WEIGHT_INDEX_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *path;   // of the index
    char **files; // paths of the shards in order of their names, each once
    int64_t file_count;
    json_t *json;
} gw_weight_index;

// Files must be in the index's folder: a name with '/' or ".." is GW_ERR_FORMAT.
gw_status gw_weight_index_load(const char *path, gw_weight_index *out) GW_MUST_CHECK;
void gw_weight_index_free(gw_weight_index *index);

#endif
