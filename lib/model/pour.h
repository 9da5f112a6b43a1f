// SPDX-License-Identifier: MIT
// Values on their way into a file: converted piece by piece, whatever the format.
#ifndef GW_MODEL_POUR_H
#define GW_MODEL_POUR_H

#include "model/values.h"

// The type that the tensor has in a file whose floats have type `type`.
const gw_value_type *gw_pour_type(const gw_tensor_values *tensor, gw_store_type type);

// Hands the tensor's values to `sink` as little-endian bytes of that type. A finite value that the type cannot hold is
// GW_ERR_RANGE and names the tensor.
typedef gw_status (*gw_pour_sink)(void *context, const void *bytes, int64_t count);
gw_status gw_pour(const gw_tensor_values *tensor, gw_store_type type, gw_pour_sink sink, void *context) GW_MUST_CHECK;

#endif
