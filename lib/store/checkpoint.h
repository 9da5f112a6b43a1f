// SPDX-License-Identifier: MIT
// The stored tensors of a model folder, in any of these files: model.safetensors, its shards under
// model.safetensors.index.json, pytorch_model.bin, or its shards under pytorch_model.bin.index.json (looked for in this
// order). A path to one such file works too.
#ifndef GW_STORE_CHECKPOINT_H
#define GW_STORE_CHECKPOINT_H

#include "store/stored_tensor.h"

// The path is a folder, a file of weights, or the name of an installed model (store/installed.h).
typedef struct gw_checkpoint gw_checkpoint;
gw_status gw_checkpoint_open(const char *path, gw_checkpoint **out) GW_MUST_CHECK;
// *out, to be freed: the folder of a path that gw_checkpoint_open() takes, where config.json stands.
gw_status gw_checkpoint_folder(const char *path, char **out) GW_MUST_CHECK;
void gw_checkpoint_close(gw_checkpoint *checkpoint);
int gw_checkpoint_count(const gw_checkpoint *checkpoint);
const gw_stored_tensor *gw_checkpoint_at(const gw_checkpoint *checkpoint, int index);          // in order of name
const gw_stored_tensor *gw_checkpoint_find(const gw_checkpoint *checkpoint, const char *name); // or NULL
// Copies the values out in row-major order as f32: F32 as it is, F16 and BF16 widened; other types are
// GW_ERR_UNSUPPORTED.
gw_status gw_checkpoint_read(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor, float *out) GW_MUST_CHECK;
// The same of whole numbers (I64, I32, U8, BOOL).
gw_status gw_checkpoint_read_int(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor,
                                 int64_t *out) GW_MUST_CHECK;
// True where both have the same shape and the same values: a copy, or one storage under two names.
bool gw_checkpoint_same(const gw_checkpoint *checkpoint, const gw_stored_tensor *a, const gw_stored_tensor *b);
// The whole of file `index`, in order of their names; false beyond the last.
bool gw_checkpoint_bytes(const gw_checkpoint *checkpoint, int64_t index, const void **bytes, int64_t *size);

// Writes a safetensors file, whole or not at all, the tensors by falling size of their type and then in order of name.
// Values are rounded to the nearest, ties to even; a finite one that the type cannot hold is GW_ERR_RANGE and names its
// tensor. Infinite values and NaN are written, with a warning.
gw_status gw_checkpoint_save(const char *path, const gw_tensor_values *tensors, int count,
                             gw_store_type type) GW_MUST_CHECK;
// "float32", "float16", "bfloat16": the type as config.json has it.
const char *gw_store_dtype(gw_store_type type);
// Refuses a folder that holds weights under other names than that: these might be read in its place.
gw_status gw_checkpoint_check_folder(const char *folder) GW_MUST_CHECK;

#endif
