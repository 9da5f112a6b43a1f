// SPDX-License-Identifier: MIT
// Tensors in files: stored tensors, and tensors to write.
#ifndef GW_STORE_STORED_TENSOR_H
#define GW_STORE_STORED_TENSOR_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_STORED_DIMENSIONS = 8 };

// A stored tensor. The checkpoint owns the strings.
typedef struct {
    const char *name;
    const char *file; // its file, for messages
    const char *type; // in safetensors' spelling: "F32", "F16", "BF16", "I64" ...
    int dimensions;
    int64_t shape[GW_STORED_DIMENSIONS];
    int64_t count; // product of shape
} gw_stored_tensor;

// The type of written floats.
typedef enum { GW_STORE_F32, GW_STORE_F16, GW_STORE_BF16 } gw_store_type;

// A tensor to write; all members are borrowed. Its values are the first of the three pointers that is not NULL.
typedef struct {
    const char *name;
    int dimensions;
    int64_t shape[GW_STORED_DIMENSIONS];
    int64_t count;                  // product of shape
    const float *values;            // [count], row-major
    const int64_t *integers;        // [count], written as I64
    const gw_stored_tensor *stored; // of an open checkpoint: floats are converted, other types are copied
} gw_tensor_values;

// The name of the weight file in a model folder.
extern const char gw_checkpoint_file[];

#endif
