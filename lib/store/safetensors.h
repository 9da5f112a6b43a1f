// SPDX-License-Identifier: MIT
// The safetensors format (huggingface/safetensors, README "Format"): u64 little endian, length N of the header; N bytes
// of JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {text: text}}; then the data,
// which the tensors cover without gaps or overlaps.
#ifndef GW_STORE_SAFETENSORS_H
#define GW_STORE_SAFETENSORS_H

#include "base/output.h"
#include "store/weights_file.h"

// Lists the tensors of file->bytes in the order of their data, after checking header, offsets and sizes.
gw_status gw_safetensors_read(gw_weights_file *file) GW_MUST_CHECK;
// The type of a tensor in a file with floats of type `type`.
const gw_value_type *gw_values_type(const gw_tensor_values *tensor, gw_store_type type);
// Writes tensors in the order given, with __metadata__ {"format": "pt"}.
gw_status gw_safetensors_write(gw_output *output, const gw_tensor_values *tensors, int count,
                               gw_store_type type) GW_MUST_CHECK;

#endif
