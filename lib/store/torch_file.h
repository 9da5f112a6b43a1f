// SPDX-License-Identifier: MIT
// Files that torch.save() has written since torch 1.6: a zip archive of stored entries under one prefix,
//   <prefix>/data.pkl      a pickle: {name: tensor}; a tensor is a call of torch._utils._rebuild_tensor_v2 with
//                          (storage, offset, sizes, strides, requires_grad, hooks), in values
//   <prefix>/data/<key>    the bytes of a storage, which tensors may share
//   <prefix>/byteorder     "little"; version, .format_version, .data/serialization_id and others
// The format is documented only by torch/serialization.py and caffe2/serialize/inline_container.h.
#ifndef GW_STORE_TORCH_FILE_H
#define GW_STORE_TORCH_FILE_H

#include "base/status.h"
#include "store/weights_file.h"

#include <stdbool.h>
#include <stdint.h>

bool gw_torch_file_is(const unsigned char *bytes, int64_t size); // zip archive, or the format before torch 1.6

// Lists the tensors of file->bytes. The format before torch 1.6 is an error. No code of the pickle runs; content that
// weights do not need is an error that names it. If {"state_dict": {...}} or {"model": {...}} is present, and not both,
// its tensors are listed. A whole module of bpnet-lite's classes gives the names of its state dict.
gw_status gw_torch_file_read(gw_weights_file *file) GW_MUST_CHECK;

#endif
