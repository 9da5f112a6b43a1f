// SPDX-License-Identifier: MIT
// Convolutions as PyTorch stores them: [width][in][taps], where networks read [taps][width][in].
#ifndef GW_MODEL_TAPS_H
#define GW_MODEL_TAPS_H

#include "model/parameters.h"

// The shape that a file has of a parameter: its own, or with taps last.
void gw_taps_stored_shape(const gw_parameter *parameter, int64_t shape[3]);
// Values as the file has them -> as the network has them, and back. `parameter` has taps_last; `in` and `out` do not
// overlap.
void gw_taps_from_file(const gw_parameter *parameter, const float *in, float *out);
void gw_taps_to_file(const gw_parameter *parameter, const float *in, float *out);

#endif
