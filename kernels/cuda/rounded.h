// SPDX-License-Identifier: MIT
// Tensors that are stored as f32 or as bf16, eight numbers at a time.
#ifndef GW_KERNELS_CUDA_ROUNDED_H
#define GW_KERNELS_CUDA_ROUNDED_H

#include "kernels/cuda/four.h"
#include "kernels/cuda/frame.h"

GPU_FN float gpu_widen(uint32_t bf16) {
    return __uint_as_float(bf16 << 16);
}

struct gpu_eight {
    float value[8];
};

// Where number i of rows of `width` numbers, a multiple of 8, is in a tensor stored as bf16.
GPU_FN int64_t gpu_rounded_at(int64_t i, int64_t width) {
    return i + i / width * 8;
}

// Numbers i .. i + 7, zeros from `count` on; i is a multiple of 8. They are in `rounded`, or if it is NULL in `floats`.
GPU_FN gpu_eight gpu_load_eight(const float *floats, const uint16_t *rounded, int64_t i, int64_t count, int64_t width) {
    if (rounded) {
        const uint4 x = *reinterpret_cast<const uint4 *>(rounded + gpu_rounded_at(i, width));
        return {{gpu_widen(x.x), gpu_widen(x.x >> 16), gpu_widen(x.y), gpu_widen(x.y >> 16), gpu_widen(x.z),
                 gpu_widen(x.z >> 16), gpu_widen(x.w), gpu_widen(x.w >> 16)}};
    }
    const gpu_four a = gpu_load_four(floats, i, count), b = gpu_load_four(floats, i + 4, count);
    return {{a.value[0], a.value[1], a.value[2], a.value[3], b.value[0], b.value[1], b.value[2], b.value[3]}};
}

GPU_FN void gpu_store_eight(float *floats, uint16_t *rounded, int64_t i, int64_t count, int64_t width,
                            const gpu_eight &x) {
    const float(&v)[8] = x.value;
    if (rounded) {
        const uint4 eight = {gpu_pack_bf16(v[0], v[1]), gpu_pack_bf16(v[2], v[3]), gpu_pack_bf16(v[4], v[5]),
                             gpu_pack_bf16(v[6], v[7])};
        *reinterpret_cast<uint4 *>(rounded + gpu_rounded_at(i, width)) = eight;
        return;
    }
    gpu_store_four(floats, i, count, {{v[0], v[1], v[2], v[3]}});
    gpu_store_four(floats, i + 4, count, {{v[4], v[5], v[6], v[7]}});
}

// body(i) for the running thread's eight elements i .. i + 7 of `count`, where it has any.
template <typename F> GPU_FN void gpu_for_eight(int64_t count, F body) {
    const int64_t i = 8 * gpu_element();
    if (i < count) body(i);
}

#endif
