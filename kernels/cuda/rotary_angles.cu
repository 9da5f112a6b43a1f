// SPDX-License-Identifier: MIT
// Tables of the cosines and sines of rotary positions, made once: a thread an angle, in double.
#include "kernels/cuda/frame.h"

static __global__ void rotary_angles(gw_rotary_angles_args a) {
    const int64_t half = a.rotary / 2, at = gpu_element(), position = at / half, j = at % half;
    if (position >= a.positions) return;
    const float power = float(pow(a.base, 2.0 * double(j) / double(a.rotary)));
    const float frequency = a.frequency ? a.frequency[j] : 1.0f / power;
    const float angle = float(position) * frequency;
    a.cosine[at] = float(cos(double(angle)));
    a.sine[at] = float(sin(double(angle)));
}

GW_CUDA_OP(rotary_angles, gw_rotary_angles_args) {
    return gw_cuda_launch_elements("rotary_angles", rotary_angles, args->positions * (args->rotary / 2), *args);
}
