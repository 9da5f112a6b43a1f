// SPDX-License-Identifier: MIT
// A file of weights as a list of views into its bytes, for all formats.
#ifndef GW_STORE_WEIGHTS_FILE_H
#define GW_STORE_WEIGHTS_FILE_H

#include "base/mapping.h"
#include "base/status.h"
#include "store/values.h"

#include <stdint.h>

typedef struct {
    char *path;
    gw_mapping mapping; // empty if the caller owns the bytes
    const unsigned char *bytes;
    int64_t size;
    gw_tensor_view *views; // in the file's order
    int64_t count, capacity;
} gw_weights_file;

// Appends a zeroed view with a copy of this name. A name with control characters is GW_ERR_FORMAT, because messages
// would send them to terminals.
gw_status gw_weights_file_add(gw_weights_file *file, const char *name, gw_tensor_view **out) GW_MUST_CHECK;
// Fails with GW_ERR_FORMAT: "<path>: tensor <name>: <what>".
gw_status gw_weights_file_fault(const gw_weights_file *file, const char *name, const char *what);
// Sets the shape and the count of a view; a negative size or a product beyond int64_t is a fault.
gw_status gw_view_set_shape(const gw_weights_file *file, gw_tensor_view *view, const int64_t *shape,
                            int dimensions) GW_MUST_CHECK;

// Maps a file and reads its table of contents. Its first bytes give the format: safetensors, torch's zip or Keras'
// HDF5. All views are checked against the size of the file.
gw_status gw_weights_file_open(const char *path, gw_weights_file *out) GW_MUST_CHECK;
// The same for bytes in memory, which must outlive `out`; `name` is for messages.
gw_status gw_weights_file_of_bytes(const char *name, const void *bytes, int64_t size,
                                   gw_weights_file *out) GW_MUST_CHECK;
void gw_weights_file_close(gw_weights_file *file); // harmless on a closed or zeroed one

#endif
