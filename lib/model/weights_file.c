// SPDX-License-Identifier: MIT
#include "model/weights_file.h"

#include "base/memory.h"
#include "model/safetensors.h"
#include "model/torch_file.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with(const gw_weights_file *file, const char *text) {
    return file->size >= (int64_t)strlen(text) && memcmp(file->bytes, text, strlen(text)) == 0;
}

static gw_status read_contents(gw_weights_file *file) {
    if (gw_torch_file_is(file->bytes, file->size)) return gw_torch_file_read(file);
    if (gw_torch_file_is_legacy(file->bytes, file->size))
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s: written in the form that torch had before 1.6; open it with torch.load() and write it again "
            "with torch.save(), both with a dictionary of tensors",
            file->path);
    if (begins_with(file, "version https://git-lfs"))
        return gw_fail(GW_ERR_FORMAT, "%s: a Git LFS pointer to the weights, not the weights; see git lfs pull",
                       file->path);
    return gw_safetensors_read(file);
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

gw_status gw_weights_file_of_bytes(const char *name, const void *bytes, int64_t size, gw_weights_file *out) {
    *out = (gw_weights_file){.path = gw_strdup(name), .bytes = bytes, .size = size};
    const gw_status status = out->path ? read_contents(out) : GW_ERR_MEMORY;
    if (status != GW_OK) gw_weights_file_close(out);
    return status;
}

void gw_weights_file_close(gw_weights_file *file) {
    for (int64_t i = 0; i < file->count; i++) free((char *)file->views[i].stored.name);
    free(file->views);
    free(file->path);
    gw_mapping_close(&file->mapping);
    *file = (gw_weights_file){0};
}

// Names reach the user's terminal in messages.
static bool is_shown_whole(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 127) return false;
    return true;
}

gw_status gw_weights_file_add(gw_weights_file *file, const char *name, gw_tensor_view **out) {
    if (!is_shown_whole(name))
        return gw_fail(GW_ERR_FORMAT, "%s: the name of a tensor holds control characters", file->path);
    GW_TRY(gw_reserve(&file->views, &file->capacity, file->count + 1, sizeof *file->views));
    char *copy = gw_strdup(name);
    if (!copy) return GW_ERR_MEMORY;
    *out = &file->views[file->count++];
    **out = (gw_tensor_view){.stored = {.name = copy, .file = file->path}};
    return GW_OK;
}

gw_status gw_weights_file_fault(const gw_weights_file *file, const char *name, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %s", file->path, name, what);
}

gw_status gw_view_set_shape(const gw_weights_file *file, gw_tensor_view *view, const int64_t *shape, int dimensions) {
    gw_stored_tensor *stored = &view->stored;
    stored->dimensions = dimensions;
    stored->count = 1;
    bool empty = false, huge = false;
    for (int d = 0; d < dimensions; d++) {
        if (shape[d] < 0) return gw_weights_file_fault(file, stored->name, "a size in its shape is negative");
        stored->shape[d] = shape[d];
        empty = empty || shape[d] == 0;
        if (shape[d] > 0) huge = __builtin_mul_overflow(stored->count, shape[d], &stored->count) || huge;
    }
    if (huge || stored->count > INT64_MAX / 16)
        return gw_weights_file_fault(file, stored->name, "its shape is too large");
    if (empty) stored->count = 0;
    return GW_OK;
}
