// SPDX-License-Identifier: MIT
// Tensors in files: as they are stored, and as they are to be written.
#ifndef GW_STORE_STORED_TENSOR_H
#define GW_STORE_STORED_TENSOR_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_STORED_DIMENSIONS = 8 };

// A tensor as it is stored. Strings belong to the checkpoint.
typedef struct {
    const char *name;
    const char *file; // that holds it, for messages
    const char *type; // as safetensors spells it: "F32", "F16", "BF16", "I64" ...
    int dimensions;
    int64_t shape[GW_STORED_DIMENSIONS];
    int64_t count; // product of shape
} gw_stored_tensor;

// The type of the floats that are written.
typedef enum { GW_STORE_F32, GW_STORE_F16, GW_STORE_BF16 } gw_store_type;

// A tensor to be written; everything is borrowed. Its values come from the first of the three that is not NULL.
typedef struct {
    const char *name;
    int dimensions;
    int64_t shape[GW_STORED_DIMENSIONS];
    int64_t count;                  // product of shape
    const float *values;            // [count], row-major
    const int64_t *integers;        // [count], written as I64
    const gw_stored_tensor *stored; // of an open checkpoint: floats are converted, other types stay as they are
} gw_tensor_values;

// The name of the file of weights that is written in a model folder.
extern const char gw_checkpoint_file[];

#endif
