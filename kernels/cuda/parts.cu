// SPDX-License-Identifier: MIT
// Memory of the parts, and the kernel that adds them.
#include "kernels/cuda/parts.h"

gw_status gw_cuda_part_sums(int64_t floats, float **out) {
    static void *memory;
    static int64_t size;
    if (floats > size) {
        gw_cuda_release(memory);
        memory = nullptr, size = 0;
        GW_TRY(gw_cuda_allocate(floats * int64_t(sizeof(float)), &memory));
        size = floats;
    }
    *out = static_cast<float *>(memory);
    return GW_OK;
}

static __global__ void add_parts(gw_cuda_added_parts a) {
    const int64_t at = gpu_element();
    if (at >= a.rows * a.width) return;
    float sum = 0;
    for (int64_t p = 0; p < a.parts; p++) sum += a.sums[p * a.stride + at];
    a.out[at / a.width * a.out_stride + at % a.width] += sum;
}

gw_status gw_cuda_add_parts(const char *op, const gw_cuda_added_parts *of) {
    return gw_cuda_launch_elements(op, add_parts, of->rows * of->width, *of);
}
