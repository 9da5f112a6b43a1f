// SPDX-License-Identifier: MIT
// Zip archives whose entries are stored, not compressed, in memory (PKWARE APPNOTE 6.3, with the zip64 records). What
// the central directory says is held against the local headers and the size of the file.
#ifndef GW_MODEL_ZIP_H
#define GW_MODEL_ZIP_H

#include "base/output.h"
#include "base/status.h"

#include <stdint.h>

typedef struct {
    char *name;
    int64_t begin;        // of the local header in the file
    int64_t offset, size; // of the content
    uint32_t crc;         // as the central directory says; not checked
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

// Writing, entry after entry, in the form of torch's PyTorchStreamWriter: contents begin at multiples of 64 bytes,
// sizes and CRC stand in a descriptor behind the content, a zip64 end record always. Zero-initialise but for `output`.
typedef struct {
    gw_output *output;
    int64_t position; // bytes written
    gw_zip_entry *entries;
    int64_t count, capacity;
} gw_zip_writer;

gw_status gw_zip_begin(gw_zip_writer *writer, const char *name, int64_t size) GW_MUST_CHECK;
// A piece of the entry's content; the pieces add up to its size.
gw_status gw_zip_write(gw_zip_writer *writer, const void *bytes, int64_t count) GW_MUST_CHECK;
gw_status gw_zip_end(gw_zip_writer *writer) GW_MUST_CHECK;
// The central directory.
gw_status gw_zip_finish(gw_zip_writer *writer) GW_MUST_CHECK;
void gw_zip_writer_free(gw_zip_writer *writer);

#endif
