// SPDX-License-Identifier: MIT
// Zip archives whose entries are stored, not compressed, in memory (PKWARE APPNOTE 6.3, with the zip64 records). What
// the central directory says is held against the local headers and the size of the file.
#ifndef GW_STORE_ZIP_H
#define GW_STORE_ZIP_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    char *name;
    int64_t begin;        // of the local header in the file
    int64_t offset, size; // of the content
} gw_zip_entry;

typedef struct {
    gw_zip_entry *entries; // in order of name, each once
    int64_t count;
} gw_zip;

// `path` is for messages. Compressed and encrypted entries are GW_ERR_UNSUPPORTED; entries that overlap, leave the file
// or contradict their local headers are GW_ERR_FORMAT.
gw_status gw_zip_read(const char *path, const unsigned char *bytes, int64_t size, gw_zip *out) GW_MUST_CHECK;
void gw_zip_free(gw_zip *zip);
const gw_zip_entry *gw_zip_find(const gw_zip *zip, const char *name); // or NULL

#endif
