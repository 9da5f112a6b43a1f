// SPDX-License-Identifier: MIT
// Files read as memory.
#ifndef GW_BASE_MAPPING_H
#define GW_BASE_MAPPING_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    const unsigned char *bytes; // NULL for an empty file
    int64_t size;
} gw_mapping;

// Maps a regular file for reading. A reader is killed if somebody truncates the file while it is mapped. Files that are
// replaced by renaming, as godwit's outputs are, are never truncated.
gw_status gw_mapping_open(const char *path, gw_mapping *out) GW_MUST_CHECK;
void gw_mapping_close(gw_mapping *mapping); // harmless on a closed or zeroed one

#endif
