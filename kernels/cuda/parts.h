// SPDX-License-Identifier: MIT
// Sums in parts: each block computes one part, and one kernel then adds the parts in order.
#ifndef GW_KERNELS_CUDA_PARTS_H
#define GW_KERNELS_CUDA_PARTS_H

#include "kernels/cuda/frame.h"

enum { GW_CUDA_MOST_PARTS = 64, GW_CUDA_ROWS_OF_PART = 64 }; // rows: at least

// Rows first .. end - 1 of one part; `parts` parts share all rows.
struct gpu_part {
    int64_t first, end;
};
GPU_FN gpu_part gpu_part_of(int64_t rows, int64_t parts, int64_t part) {
    const int64_t each = (rows + parts - 1) / parts, first = part * each;
    return {first < rows ? first : rows, first + each < rows ? first + each : rows};
}

static inline int64_t gw_cuda_parts_of(int64_t rows) {
    const int64_t parts = rows / GW_CUDA_ROWS_OF_PART;
    return parts < 1 ? 1 : parts > GW_CUDA_MOST_PARTS ? int64_t(GW_CUDA_MOST_PARTS) : parts;
}

// Device memory for `count` numbers. The next call may reuse it.
gw_status gw_cuda_part_sums(int64_t floats, float **out);

// out[r][i] += sum over parts p of sums[p stride + r width + i], of `rows` rows.
typedef struct {
    const float *sums;
    int64_t parts, stride, rows, width;
    float *out;
    int64_t out_stride;
} gw_cuda_added_parts;
gw_status gw_cuda_add_parts(const char *op, const gw_cuda_added_parts *of);

#endif
