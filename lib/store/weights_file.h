// SPDX-License-Identifier: MIT
// Opens a file of weights, whichever its format.
#ifndef GW_STORE_WEIGHTS_FILE_H
#define GW_STORE_WEIGHTS_FILE_H

#include "store/weights_views.h"

#include <stdint.h>

// Maps a file and reads its table of contents: safetensors, torch's zip or Keras' HDF5, distinguished by the first
// bytes. Everything that the views say has been checked against the size of the file.
gw_status gw_weights_file_open(const char *path, gw_weights_file *out) GW_MUST_CHECK;
// The same of bytes in memory, which must outlive the file; `name` is for messages.
gw_status gw_weights_file_of_bytes(const char *name, const void *bytes, int64_t size,
                                   gw_weights_file *out) GW_MUST_CHECK;
void gw_weights_file_close(gw_weights_file *file); // harmless on a closed or zeroed one

#endif
