// SPDX-License-Identifier: MIT
// The safetensors format (huggingface/safetensors, README "Format"): u64 little endian length N of the header, N bytes
// of JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {text: text}}, then the data,
// which the tensors cover without holes or overlaps.
#ifndef GW_MODEL_SAFETENSORS_H
#define GW_MODEL_SAFETENSORS_H

#include "base/status.h"

#include <stdint.h>

enum { GW_SAFETENSOR_DIMENSIONS = 8 };

typedef struct {
    const char *name;
    const char *type; // "F32", "BF16" ...
    int dimensions;
    int64_t shape[GW_SAFETENSOR_DIMENSIONS];
    int64_t count;    // product of shape
    const void *data; // little endian
    int64_t bytes;
} gw_safetensor;

typedef struct gw_safetensors gw_safetensors;

// Maps a file and checks its header, offsets and sizes.
gw_status gw_safetensors_open(const char *path, gw_safetensors **out) GW_MUST_CHECK;
void gw_safetensors_close(gw_safetensors *file);
int gw_safetensors_count(const gw_safetensors *file);
const gw_safetensor *gw_safetensors_at(const gw_safetensors *file, int index);          // in order of their data
const gw_safetensor *gw_safetensors_find(const gw_safetensors *file, const char *name); // or NULL
// Copies the values out as f32: F32 as it is, F16 and BF16 widened; any other type is GW_ERR_UNSUPPORTED.
gw_status gw_safetensors_read(const gw_safetensors *file, const gw_safetensor *tensor, float *out) GW_MUST_CHECK;

// Writes F32 tensors, which the caller has sorted by name, with __metadata__ {"format": "pt"}; whole or not at all.
// `type` and `bytes` are not read.
gw_status gw_safetensors_save(const char *path, const gw_safetensor *tensors, int count) GW_MUST_CHECK;

#endif
