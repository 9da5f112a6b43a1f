// SPDX-License-Identifier: MIT
// Looks at the first bytes of a file, and opens it by its format.
#include "store/weights_file.h"

#include "base/memory.h"
#include "store/hdf5_file.h"
#include "store/safetensors.h"
#include "store/torch_file.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with(const gw_weights_file *file, const char *text) {
    return file->size >= (int64_t)strlen(text) && memcmp(file->bytes, text, strlen(text)) == 0;
}

static gw_status read_contents(gw_weights_file *file) {
    if (gw_torch_file_is(file->bytes, file->size)) return gw_torch_file_read(file);
    if (gw_hdf5_file_is(file->bytes, file->size)) return gw_hdf5_file_read(file);
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
