// SPDX-License-Identifier: MIT
// Weights laid out for products, in device memory.
#include "kernels/cuda/packed.h"

#include "kernels/cuda/round_rows.h"

#include <stdlib.h>

static __global__ void copy_rows(const float *from, int64_t width, float *to, int64_t stride, int64_t rows) {
    const int64_t at = gpu_element(), row = at / stride, i = at % stride;
    if (row < rows) to[at] = i < width ? from[row * width + i] : 0.0f;
}

static gw_status fill(const gw_packed *packed, const float *weight) {
    if (packed->precision == GW_F32)
        return gw_cuda_launch_elements("packing weights", copy_rows, packed->n * packed->stride, weight, packed->k,
                                       static_cast<float *>(packed->number), packed->stride, packed->n);
    const gw_cuda_rounding rounding = {weight,    packed->k,          packed->n,
                                       packed->k, GW_ACTIVATION_NONE, static_cast<uint16_t *>(packed->number)};
    return gw_cuda_round_rows("packing weights", &rounding);
}

gw_status gw_cuda_pack(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) {
    gw_packed *packed = static_cast<gw_packed *>(calloc(1, sizeof *packed));
    if (!packed) return gw_cuda_fail(GW_ERR_MEMORY, "packing weights", "the host's memory is full");
    *packed = {n, k, precision == GW_F32 ? gw_cuda_divide(k, 4) * 4 : gw_cuda_rounded_stride(k), precision, nullptr};
    gw_status status = gw_cuda_allocate(gw_cuda_packed_bytes(packed), &packed->number);
    if (status == GW_OK) status = fill(packed, weight);
    if (status == GW_OK) *out = packed;
    else gw_cuda_packed_free(packed);
    return status;
}

void gw_cuda_packed_free(gw_packed *packed) {
    if (packed) gw_cuda_release(packed->number);
    free(packed);
}

int64_t gw_cuda_packed_bytes(const gw_packed *packed) {
    return packed->n * packed->stride * int64_t(packed->precision == GW_F32 ? sizeof(float) : sizeof(uint16_t));
}
