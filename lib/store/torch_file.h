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

bool gw_torch_file_is(const unsigned char *bytes, int64_t size); // begins like a zip archive, or as before torch 1.6

// Lists the tensors of file->bytes. The form before torch 1.6 is refused. Nothing of the pickle is run; whatever
// weights do not need in it is refused by name.
// {"state_dict": {...}} and {"model": {...}} are looked into where only one of the two is there. Of a whole module of
// bpnet-lite's classes the tensors have the names of its state dict.
gw_status gw_torch_file_read(gw_weights_file *file) GW_MUST_CHECK;

#endif
