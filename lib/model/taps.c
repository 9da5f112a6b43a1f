// SPDX-License-Identifier: MIT
// Moves the taps of a convolution to the end and back.
#include "model/taps.h"

void gw_taps_stored_shape(const gw_parameter *parameter, int64_t shape[3]) {
    const int64_t *own = parameter->shape;
    for (int i = 0; i < 3; i++) shape[i] = parameter->taps_last ? own[(i + 1) % 3] : own[i];
}

void gw_taps_from_file(const gw_parameter *parameter, const float *in, float *out) {
    const int64_t taps = parameter->shape[0], each = parameter->count / taps;
    for (int64_t i = 0; i < each; i++)
        for (int64_t t = 0; t < taps; t++) out[t * each + i] = in[i * taps + t];
}

void gw_taps_to_file(const gw_parameter *parameter, const float *in, float *out) {
    const int64_t taps = parameter->shape[0], each = parameter->count / taps;
    for (int64_t i = 0; i < each; i++)
        for (int64_t t = 0; t < taps; t++) out[i * taps + t] = in[t * each + i];
}
