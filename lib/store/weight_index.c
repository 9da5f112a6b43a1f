// SPDX-License-Identifier: MIT
// Reads which file holds which tensor, and checks the names.
#include "store/weight_index.h"

#include "base/json.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// "<folder of the index>/<name>"
static char *beside(const char *index, const char *name) {
    const char *slash = strrchr(index, '/');
    return gw_strprintf("%.*s%s", slash ? (int)(slash + 1 - index) : 0, index, name);
}

static const json_t *weight_map(const gw_weight_index *index) {
    return json_object_get(index->json, "weight_map");
}

static gw_status check_name(const gw_weight_index *index, const char *tensor, const json_t *file) {
    const char *name = json_string_value(file);
    if (name && *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) return GW_OK;
    if (!name) return gw_fail(GW_ERR_FORMAT, "%s: the file of tensor %s is not a string", index->path, tensor);
    return gw_fail(GW_ERR_FORMAT, "%s: the file of tensor %s is \"%s\", which is no name inside the folder",
                   index->path, tensor, name);
}

// Lists the files, in order, each once.
static gw_status list_files(gw_weight_index *index) {
    json_t *map = json_object_get(index->json, "weight_map"), *file;
    const char *tensor;
    index->files = gw_alloc((int64_t)json_object_size(map), sizeof *index->files);
    if (!index->files) return GW_ERR_MEMORY;
    json_object_foreach(map, tensor, file) {
        GW_TRY(check_name(index, tensor, file));
        char *path = beside(index->path, json_string_value(file));
        if (!path) return GW_ERR_MEMORY;
        index->files[index->file_count++] = path;
    }
    qsort(index->files, (size_t)index->file_count, sizeof *index->files, by_text);
    int64_t kept = 0;
    for (int64_t i = 0; i < index->file_count; i++) {
        if (kept > 0 && strcmp(index->files[kept - 1], index->files[i]) == 0) free(index->files[i]);
        else index->files[kept++] = index->files[i];
    }
    index->file_count = kept;
    return GW_OK;
}

static gw_status list_entries(gw_weight_index *index) {
    json_t *map = json_object_get(index->json, "weight_map"), *file;
    const char *tensor;
    index->entries = gw_alloc((int64_t)json_object_size(map), sizeof *index->entries);
    if (!index->entries) return GW_ERR_MEMORY;
    json_object_foreach(map, tensor, file) {
        char *path = beside(index->path, json_string_value(file));
        if (!path) return GW_ERR_MEMORY;
        char **at = bsearch(&path, index->files, (size_t)index->file_count, sizeof *index->files, by_text);
        index->entries[index->count++] = (gw_shard_entry){tensor, at - index->files};
        free(path);
    }
    return GW_OK;
}

gw_status gw_weight_index_load(const char *path, gw_weight_index *out) {
    *out = (gw_weight_index){.path = gw_strdup(path)};
    gw_status status = out->path ? gw_json_load(path, &out->json) : GW_ERR_MEMORY;
    if (status == GW_OK && json_object_size(weight_map(out)) == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: \"weight_map\" is missing or empty", path);
    if (status == GW_OK) status = list_files(out);
    if (status == GW_OK) status = list_entries(out);
    if (status != GW_OK) gw_weight_index_free(out);
    return status;
}

void gw_weight_index_free(gw_weight_index *index) {
    for (int64_t i = 0; i < index->file_count; i++) free(index->files[i]);
    free(index->files);
    free(index->entries);
    free(index->path);
    json_decref(index->json);
    *index = (gw_weight_index){0};
}

bool gw_weight_index_has(const gw_weight_index *index, const char *tensor) {
    return json_object_get(weight_map(index), tensor) != NULL;
}
