// SPDX-License-Identifier: MIT
// Values on their way into a file: converted piece by piece, whatever the format.
#ifndef GW_STORE_WRITE_VALUES_H
#define GW_STORE_WRITE_VALUES_H

#include "store/values.h"

// The type that the tensor has in a file whose floats have type `type`.
const gw_value_type *gw_values_type(const gw_tensor_values *tensor, gw_store_type type);

// Hands the tensor's values to `sink` as little-endian bytes of that type. A finite value that the type cannot hold is
// GW_ERR_RANGE and names the tensor.
typedef gw_status (*gw_values_sink)(void *context, const void *bytes, int64_t count);
gw_status gw_write_values(const gw_tensor_values *tensor, gw_store_type type, gw_values_sink sink,
                          void *context) GW_MUST_CHECK;

#endif
