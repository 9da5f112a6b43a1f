// SPDX-License-Identifier: MIT
// The stored tensors of a model folder, in the first of these files that exists: model.safetensors, shards with
// model.safetensors.index.json, pytorch_model.bin, or shards with pytorch_model.bin.index.json. The path of such a file
// works too.
#ifndef GW_STORE_CHECKPOINT_H
#define GW_STORE_CHECKPOINT_H

#include "store/stored_tensor.h"

// path: a folder, a file of weights, or the name of an installed model (store/installed.h).
typedef struct gw_checkpoint gw_checkpoint;
gw_status gw_checkpoint_open(const char *path, gw_checkpoint **out) GW_MUST_CHECK;
// *out: the folder with config.json for a path of gw_checkpoint_open(); free() it.
gw_status gw_checkpoint_folder(const char *path, char **out) GW_MUST_CHECK;
void gw_checkpoint_close(gw_checkpoint *checkpoint);
int gw_checkpoint_count(const gw_checkpoint *checkpoint);
const gw_stored_tensor *gw_checkpoint_at(const gw_checkpoint *checkpoint, int index);          // in order of name
const gw_stored_tensor *gw_checkpoint_find(const gw_checkpoint *checkpoint, const char *name); // or NULL
// Copies the values in row-major order as f32: F32 unchanged, F16 and BF16 widened. Other types are GW_ERR_UNSUPPORTED.
gw_status gw_checkpoint_read(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor, float *out) GW_MUST_CHECK;
// The same for integers (I64, I32, U8, BOOL).
gw_status gw_checkpoint_read_int(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor,
                                 int64_t *out) GW_MUST_CHECK;
// Whether both tensors have the same shape and values: copies, or one storage with two names.
bool gw_checkpoint_same(const gw_checkpoint *checkpoint, const gw_stored_tensor *a, const gw_stored_tensor *b);
// The bytes of file number `index`, in the order of names; false behind the last file.
bool gw_checkpoint_bytes(const gw_checkpoint *checkpoint, int64_t index, const void **bytes, int64_t *size);

// Writes a safetensors file, whole or not at all, with tensors by descending size of their type, then by name. Values
// are rounded to nearest, ties to even. A finite value that is too large for the type is GW_ERR_RANGE and names its
// tensor. Infinite values and NaN are written with a warning.
gw_status gw_checkpoint_save(const char *path, const gw_tensor_values *tensors, int count,
                             gw_store_type type) GW_MUST_CHECK;
// The name of the type in config.json: "float32", "float16", "bfloat16".
const char *gw_store_dtype(gw_store_type type);
// Fails if the folder holds weights under other names than gw_checkpoint_file, because they could be read instead.
gw_status gw_checkpoint_check_folder(const char *folder) GW_MUST_CHECK;

#endif
