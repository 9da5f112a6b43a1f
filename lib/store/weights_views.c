// SPDX-License-Identifier: MIT
// Adds views and checks that their shapes can be.
#include "store/weights_views.h"

#include "base/memory.h"

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
