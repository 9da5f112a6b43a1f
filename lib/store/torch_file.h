// SPDX-License-Identifier: MIT
// Files that torch.save() has written since torch 1.6: a zip archive of stored entries under one prefix,
//   <prefix>/data.pkl      a pickle: {name: tensor}; a tensor is a call of torch._utils._rebuild_tensor_v2 with
//                          (storage, offset, sizes, strides, requires_grad, hooks), in values
//   <prefix>/data/<key>    the bytes of a storage, which tensors may share
//   <prefix>/byteorder     "little"; version, .format_version, .data/serialization_id and others
// torch/serialization.py and caffe2/serialize/inline_container.h are the only statements of the format.
#ifndef GW_STORE_TORCH_FILE_H
#define GW_STORE_TORCH_FILE_H

#include "base/status.h"
#include "store/weights_file.h"

#include <stdbool.h>
#include <stdint.h>

bool gw_torch_file_is(const unsigned char *bytes, int64_t size);        // begins like a zip archive
bool gw_torch_file_is_legacy(const unsigned char *bytes, int64_t size); // begins as before torch 1.6

// Lists the tensors of file->bytes. Nothing of the pickle is run; whatever weights do not need in it is refused by
// name.
// {"state_dict": {...}} and {"model": {...}} are looked into where only one of the two is there.
gw_status gw_torch_file_read(gw_weights_file *file) GW_MUST_CHECK;

// zip.c: zip archives whose entries are stored, not compressed, in memory (PKWARE APPNOTE 6.3, with the zip64 records).
// What the central directory says is held against the local headers and the size of the file.

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
