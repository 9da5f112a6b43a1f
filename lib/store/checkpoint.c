// SPDX-License-Identifier: MIT
// A checkpoint is one or more files of weights and one list of their tensors, sorted by name. The first bytes of a file
// give its format.
#include "store/checkpoint.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/string.h"
#include "store/hdf5_file.h"
#include "store/installed.h"
#include "store/safetensors.h"
#include "store/torch_file.h"
#include "store/weight_index.h"
#include "store/weights_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 14 }; // values; so many stay in the cache between two looks at them

static const char index_ending[] = ".index.json";
// What a model folder may hold, in the order of preference.
static const char *const known_files[] = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                          "pytorch_model.bin.index.json"};
enum { KNOWN_FILES = sizeof known_files / sizeof *known_files };

// Files of weights.

void gw_weights_file_close(gw_weights_file *file) {
    for (int64_t i = 0; i < file->count; i++) free((char *)file->views[i].stored.name);
    free(file->views);
    free(file->path);
    gw_mapping_close(&file->mapping);
    *file = (gw_weights_file){0};
}

gw_status gw_weights_file_of_bytes(const char *name, const void *bytes, int64_t size, gw_weights_file *out) {
    static const char pointer[] = "version https://git-lfs";
    const int64_t length = sizeof pointer - 1;
    *out = (gw_weights_file){.path = gw_strdup(name), .bytes = bytes, .size = size};
    gw_status status = out->path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_torch_file_is(bytes, size)) status = gw_torch_file_read(out);
    else if (status == GW_OK && gw_hdf5_file_is(bytes, size)) status = gw_hdf5_file_read(out);
    else if (status == GW_OK && size >= length && memcmp(bytes, pointer, (size_t)length) == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: a Git LFS pointer to the weights, not the weights; see git lfs pull",
                         out->path);
    else if (status == GW_OK) status = gw_safetensors_read(out);
    if (status != GW_OK) gw_weights_file_close(out);
    return status;
}

gw_status gw_weights_file_open(const char *path, gw_weights_file *out) {
    *out = (gw_weights_file){0};
    gw_mapping mapping;
    GW_TRY(gw_mapping_open(path, &mapping));
    const gw_status status = gw_weights_file_of_bytes(path, mapping.bytes, mapping.size, out);
    if (status == GW_OK) out->mapping = mapping;
    else gw_mapping_close(&mapping);
    return status;
}

// The index of shards.

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// "<folder of the index>/<name>"
static char *beside(const char *index, const char *name) {
    const char *slash = strrchr(index, '/');
    return gw_strprintf("%.*s%s", slash ? (int)(slash + 1 - index) : 0, index, name);
}

// Lists the files, in order, each once.
static gw_status list_files(gw_weight_index *index) {
    json_t *map = json_object_get(index->json, "weight_map"), *file;
    const char *tensor;
    index->files = gw_alloc((int64_t)json_object_size(map), sizeof *index->files);
    if (!index->files) return GW_ERR_MEMORY;
    json_object_foreach(map, tensor, file) {
        const char *name = json_string_value(file);
        if (!name) return gw_fail(GW_ERR_FORMAT, "%s: the file of tensor %s is not a string", index->path, tensor);
        if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            return gw_fail(GW_ERR_FORMAT, "%s: the file of tensor %s is \"%s\", which is not a name inside the folder",
                           index->path, tensor, name);
        char *path = beside(index->path, name);
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

void gw_weight_index_free(gw_weight_index *index) {
    for (int64_t i = 0; i < index->file_count; i++) free(index->files[i]);
    free(index->files);
    free(index->path);
    json_decref(index->json);
    *index = (gw_weight_index){0};
}

gw_status gw_weight_index_load(const char *path, gw_weight_index *out) {
    *out = (gw_weight_index){.path = gw_strdup(path)};
    gw_status status = out->path ? gw_json_load(path, &out->json) : GW_ERR_MEMORY;
    if (status == GW_OK && json_object_size(json_object_get(out->json, "weight_map")) == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: \"weight_map\" is missing or empty", path);
    if (status == GW_OK) status = list_files(out);
    if (status != GW_OK) gw_weight_index_free(out);
    return status;
}

// Checkpoints.

struct gw_checkpoint {
    gw_weights_file *files; // in order of name
    int64_t file_count;
    const gw_tensor_view **list; // into the files, in order of name
    int64_t count;
    atomic_flag warned; // of values that are not finite
};

static const gw_tensor_view *view_of(const gw_stored_tensor *tensor) {
    return (const gw_tensor_view *)tensor;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

gw_status gw_checkpoint_folder(const char *path, char **out) {
    if (is_folder(path) || !gw_file_exists(path)) return gw_installed_path(path, out);
    const char *slash = strrchr(path, '/');
    *out = slash ? gw_strndup(path, slash > path ? (size_t)(slash - path) : 1) : gw_strdup(".");
    return *out ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_checkpoint_check_folder(const char *folder) {
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < KNOWN_FILES; i++) {
        if (strcmp(known_files[i], gw_checkpoint_file) == 0) continue;
        char *path = gw_join_path(folder, known_files[i]);
        if (!path) return GW_ERR_MEMORY;
        if (gw_file_exists(path))
            status = gw_fail(GW_ERR_IO, "%s exists already: remove it, because it would remain beside the new weights",
                             path);
        free(path);
    }
    return status;
}

static int by_name(const void *a, const void *b) {
    const gw_stored_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static gw_status list_tensors(gw_checkpoint *checkpoint) {
    int64_t count = 0;
    for (int64_t i = 0; i < checkpoint->file_count; i++) count += checkpoint->files[i].count;
    checkpoint->list = gw_alloc(count, sizeof(gw_tensor_view *));
    if (!checkpoint->list) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < checkpoint->file_count; i++) {
        const gw_weights_file *file = &checkpoint->files[i];
        for (int64_t t = 0; t < file->count; t++) checkpoint->list[checkpoint->count++] = &file->views[t];
    }
    qsort(checkpoint->list, (size_t)count, sizeof *checkpoint->list, by_name);
    for (int64_t i = 1; i < count; i++) {
        const gw_stored_tensor *a = &checkpoint->list[i - 1]->stored, *b = &checkpoint->list[i]->stored;
        if (strcmp(a->name, b->name) != 0) continue;
        if (a->file == b->file) return gw_fail(GW_ERR_FORMAT, "%s: tensor %s is there twice", a->file, a->name);
        return gw_fail(GW_ERR_MISMATCH, "tensor %s is in %s and in %s", a->name, a->file, b->file);
    }
    return GW_OK;
}

// The index and the shards name the same tensors in the same places.
static gw_status check_index(const gw_checkpoint *checkpoint, const gw_weight_index *index) {
    json_t *map = json_object_get(index->json, "weight_map"), *file;
    const char *name;
    json_object_foreach(map, name, file) {
        const gw_stored_tensor *tensor = gw_checkpoint_find(checkpoint, name);
        char *path = beside(index->path, json_string_value(file));
        gw_status status = path ? GW_OK : GW_ERR_MEMORY;
        if (path && (!tensor || strcmp(tensor->file, path) != 0))
            status =
                gw_fail(GW_ERR_MISMATCH, "%s: tensor %s is missing, which %s places there", path, name, index->path);
        free(path);
        GW_TRY(status);
    }
    for (int64_t i = 0; i < checkpoint->count; i++) {
        const gw_stored_tensor *tensor = &checkpoint->list[i]->stored;
        if (!json_object_get(map, tensor->name))
            return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s is not in %s", tensor->file, tensor->name, index->path);
    }
    return GW_OK;
}

// The files' tensors.
static gw_status open_files(gw_checkpoint *checkpoint, char *const *paths, int64_t count) {
    checkpoint->files = gw_alloc(count, sizeof *checkpoint->files);
    if (!checkpoint->files) return GW_ERR_MEMORY;
    for (; checkpoint->file_count < count; checkpoint->file_count++)
        GW_TRY(gw_weights_file_open(paths[checkpoint->file_count], &checkpoint->files[checkpoint->file_count]));
    return list_tensors(checkpoint);
}

// The first known file of a folder; where it has none, the one to complain about.
static char *file_of_folder(const char *folder) {
    char *path = NULL;
    for (int i = 0; i < KNOWN_FILES; i++) {
        free(path);
        path = gw_join_path(folder, known_files[i]);
        if (!path || gw_file_exists(path)) return path;
    }
    free(path);
    return gw_join_path(folder, known_files[0]);
}

gw_status gw_checkpoint_open(const char *path, gw_checkpoint **out) {
    char *place, *found;
    gw_weight_index index = {0};
    *out = NULL;
    GW_TRY(gw_installed_path(path, &place));
    gw_checkpoint *checkpoint = gw_alloc(1, sizeof *checkpoint);
    gw_status status = checkpoint ? GW_OK : GW_ERR_MEMORY;
    found = is_folder(place) ? file_of_folder(place) : gw_strdup(place);
    free(place);
    if (!found) status = GW_ERR_MEMORY;
    if (status == GW_OK && gw_has_suffix(found, index_ending)) {
        status = gw_weight_index_load(found, &index);
        if (status == GW_OK) status = open_files(checkpoint, index.files, index.file_count);
        if (status == GW_OK) status = check_index(checkpoint, &index);
        gw_weight_index_free(&index);
    } else if (status == GW_OK) status = open_files(checkpoint, &found, 1);
    if (status == GW_OK) *out = checkpoint;
    else gw_checkpoint_close(checkpoint);
    free(found);
    return status;
}

void gw_checkpoint_close(gw_checkpoint *checkpoint) {
    if (!checkpoint) return;
    for (int64_t i = 0; i < checkpoint->file_count; i++) gw_weights_file_close(&checkpoint->files[i]);
    free(checkpoint->files);
    free(checkpoint->list);
    free(checkpoint);
}

int gw_checkpoint_count(const gw_checkpoint *checkpoint) {
    return (int)checkpoint->count;
}

const gw_stored_tensor *gw_checkpoint_at(const gw_checkpoint *checkpoint, int index) {
    return &checkpoint->list[index]->stored;
}

const gw_stored_tensor *gw_checkpoint_find(const gw_checkpoint *checkpoint, const char *name) {
    const gw_stored_tensor key = {.name = name}, *at = &key;
    const gw_tensor_view *const *found =
        bsearch(&at, checkpoint->list, (size_t)checkpoint->count, sizeof *checkpoint->list, by_name);
    return found ? &(*found)->stored : NULL;
}

static gw_status wrong_type(const gw_stored_tensor *tensor, const char *types) {
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: tensor %s has type %s; %s are read", tensor->file, tensor->name,
                   tensor->type, types);
}

gw_status gw_checkpoint_read(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor, float *out) {
    const gw_tensor_view *view = view_of(tensor);
    if (!gw_value_is_float(view->type)) return wrong_type(tensor, "F32, F16 and BF16");
    bool finite = true;
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = gw_min(tensor->count - first, PIECE);
        gw_view_to_float(view, first, count, out + first);
        finite = gw_values_finite(out + first, count) && finite;
    }
    if (!finite && !atomic_flag_test_and_set(&((gw_checkpoint *)checkpoint)->warned))
        gw_warn("%s: tensor %s holds infinite values or NaN; other tensors may too", tensor->file, tensor->name);
    return GW_OK;
}

gw_status gw_checkpoint_read_int(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor, int64_t *out) {
    (void)checkpoint;
    const gw_tensor_view *view = view_of(tensor);
    if (!gw_value_is_int(view->type)) return wrong_type(tensor, "whole numbers");
    gw_view_to_int(view, 0, tensor->count, out);
    return GW_OK;
}

bool gw_checkpoint_same(const gw_checkpoint *checkpoint, const gw_stored_tensor *a, const gw_stored_tensor *b) {
    (void)checkpoint;
    const gw_tensor_view *x = view_of(a), *y = view_of(b);
    return gw_view_same(x, y);
}

bool gw_checkpoint_bytes(const gw_checkpoint *checkpoint, int64_t index, const void **bytes, int64_t *size) {
    if (index >= checkpoint->file_count) return false;
    *bytes = checkpoint->files[index].bytes;
    *size = checkpoint->files[index].size;
    return true;
}

const char *gw_store_dtype(gw_store_type type) {
    static const char *const names[] = {
        [GW_STORE_F32] = "float32", [GW_STORE_F16] = "float16", [GW_STORE_BF16] = "bfloat16"};
    return names[type];
}

// Wide types first, so that every value lies at a multiple of its size.
static int by_width_and_name(const void *a, const void *b, void *type) {
    const gw_tensor_values *x = a, *y = b;
    const int wide = gw_values_type(x, *(gw_store_type *)type)->bytes,
              other = gw_values_type(y, *(gw_store_type *)type)->bytes;
    return wide != other ? other - wide : strcmp(x->name, y->name);
}

gw_status gw_checkpoint_save(const char *path, const gw_tensor_values *tensors, int count, gw_store_type type) {
    gw_tensor_values *sorted = gw_alloc(count, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    if (count > 0) memcpy(sorted, tensors, (size_t)count * sizeof *sorted);
    qsort_r(sorted, (size_t)count, sizeof *sorted, by_width_and_name, &type);
    gw_output output;
    gw_status status = gw_output_open(&output, path);
    if (status == GW_OK) {
        status = gw_safetensors_write(&output, sorted, count, type);
        if (status == GW_OK) status = gw_output_close(&output);
        else gw_output_abandon(&output);
    }
    free(sorted);
    return status;
}
