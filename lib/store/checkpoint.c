// SPDX-License-Identifier: MIT
// A checkpoint is one or more files of weights and one list of their tensors in order of name.
#include "store/checkpoint.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "store/installed.h"
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

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
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
            status = gw_fail(GW_ERR_IO, "%s exists already, and would stand beside the weights to be written", path);
        free(path);
    }
    return status;
}

static gw_status open_file(gw_checkpoint *checkpoint, const char *path) {
    checkpoint->files = gw_alloc(1, sizeof *checkpoint->files);
    if (!checkpoint->files) return GW_ERR_MEMORY;
    GW_TRY(gw_weights_file_open(path, &checkpoint->files[0]));
    checkpoint->file_count = 1;
    return GW_OK;
}

static gw_status open_shards(gw_checkpoint *checkpoint, const gw_weight_index *index) {
    checkpoint->files = gw_alloc(index->file_count, sizeof *checkpoint->files);
    if (!checkpoint->files) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < index->file_count; i++) {
        GW_TRY(gw_weights_file_open(index->files[i], &checkpoint->files[i]));
        checkpoint->file_count++;
    }
    return GW_OK;
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
    for (int64_t i = 0; i < index->count; i++) {
        const gw_shard_entry *entry = &index->entries[i];
        const gw_stored_tensor *tensor = gw_checkpoint_find(checkpoint, entry->tensor);
        if (!tensor || strcmp(tensor->file, index->files[entry->file]) != 0)
            return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s is missing, which %s places there",
                           index->files[entry->file], entry->tensor, index->path);
    }
    for (int64_t i = 0; i < checkpoint->count; i++) {
        const gw_stored_tensor *tensor = &checkpoint->list[i]->stored;
        if (!gw_weight_index_has(index, tensor->name))
            return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s is not in %s", tensor->file, tensor->name, index->path);
    }
    return GW_OK;
}

static gw_status open_all(gw_checkpoint *checkpoint, const char *path) {
    if (!ends_in(path, index_ending)) {
        GW_TRY(open_file(checkpoint, path));
        return list_tensors(checkpoint);
    }
    gw_weight_index index;
    GW_TRY(gw_weight_index_load(path, &index));
    gw_status status = open_shards(checkpoint, &index);
    if (status == GW_OK) status = list_tensors(checkpoint);
    if (status == GW_OK) status = check_index(checkpoint, &index);
    gw_weight_index_free(&index);
    return status;
}

gw_status gw_checkpoint_open(const char *path, gw_checkpoint **out) {
    char *place;
    *out = NULL;
    GW_TRY(gw_installed_path(path, &place));
    gw_checkpoint *checkpoint = gw_alloc(1, sizeof *checkpoint);
    char *found = is_folder(place) ? file_of_folder(place) : gw_strdup(place);
    free(place);
    gw_status status = checkpoint && found ? open_all(checkpoint, found) : GW_ERR_MEMORY;
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
        const int64_t count = tensor->count - first < PIECE ? tensor->count - first : PIECE;
        gw_view_to_float(view, first, count, out + first);
        finite = gw_values_finite(out + first, count) && finite;
    }
    if (!finite && !atomic_flag_test_and_set(&((gw_checkpoint *)checkpoint)->warned))
        gw_warn("%s: tensor %s holds infinite values or NaN, as others may", tensor->file, tensor->name);
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
