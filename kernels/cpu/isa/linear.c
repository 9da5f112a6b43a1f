// SPDX-License-Identifier: MIT
// The linear slot of a CPU backend. oneDNN multiplies or, in bf16, AMX tiles do. This file applies bias, activation,
// residual and norm to each tile of the product.
#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/bf16.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/layer_norm_row.h"
#include "kernels/cpu/matmul/linear_onednn.h"
#if defined GW_ISA_amx
#include "kernels/cpu/matmul/operand.h"
#include "kernels/cpu/matmul/packed_squares.h"
#include "kernels/cpu/matmul/tiles.h"
#endif

// One row; the pointers are NULL as those of `end`.
typedef struct {
    const float *product, *bias, *residual;
} end_row;

GW_INLINE end_row row_of(const gw_linear_end *end, int64_t row) {
    return (end_row){end->product + row * end->product_stride, end->bias,
                     end->residual ? end->residual + row * end->stride : NULL};
}

GW_INLINE gw_f32v end_of(end_row row, int64_t i, int64_t left, gw_f32v (*f)(gw_f32v)) {
    gw_f32v x = gw_load_some(row.product + i, left);
    if (row.bias) x += gw_load_some(row.bias + i, left);
    x = f(x);
    return row.residual ? x + gw_load_some(row.residual + i, left) : x;
}

GW_INLINE void finish_rows(const gw_linear_end *end, gw_f32v (*f)(gw_f32v)) {
    const int64_t columns = end->columns;
    for (int64_t r = 0; r < end->rows; r++) {
        const end_row row = row_of(end, r);
        float *out = end->out + r * end->stride;
        for (int64_t i = 0; i < columns; i += GW_LANES)
            gw_store_some(out + i, end_of(row, i, columns - i, f), columns - i);
    }
}

GW_INLINE int64_t bf16_place(const gw_linear_end *end, int64_t row, int64_t i) {
    enum { NUMBERS = 2 * GW_SQUARE };
    if (!end->squares) return row * end->stride + i;
    const int64_t rest = i % NUMBERS;
    return row / GW_SQUARE * GW_SQUARE * end->stride + (i - rest) * GW_SQUARE + row % GW_SQUARE * NUMBERS + rest;
}

GW_BF16_TARGET GW_INLINE void to_bf16_rows(const gw_linear_end *end, gw_f32v (*f)(gw_f32v)) {
    const int64_t columns = end->columns;
    for (int64_t r = 0; r < end->rows; r++) {
        const end_row row = row_of(end, r);
        for (int64_t i = 0; i < columns; i += GW_LANES)
            gw_store_bf16(end->bf16 + bf16_place(end, r, i), end_of(row, i, columns - i, f), columns - i);
    }
}

static void finish_wide(const gw_linear_end *end) {
    GW_WITH_FUNCTION(end->activation, finish_rows, end);
}

GW_BF16_TARGET static void finish_bf16(const gw_linear_end *end) {
    GW_WITH_FUNCTION(end->activation, to_bf16_rows, end);
}

static void finish(const gw_linear_end *end) {
    const bool done = end->product == end->out && !end->activation && !end->bias && !end->residual;
    if (end->bf16) finish_bf16(end);
    else if (!done) finish_wide(end);
}

static void norm(const gw_linear_args *args, int64_t row, int64_t count, int64_t width) {
    for (float *at = args->out[0] + row * width; count > 0; count--, at += width)
        gw_layer_norm_row(at, width, args->epsilon, args->norm_weight, args->norm_bias, at);
}

GW_BF16_TARGET static void bf16(uint16_t *to, const float *from, int64_t count) {
    for (int64_t i = 0; i < count; i += GW_LANES) gw_store_bf16(to + i, gw_load_some(from + i, count - i), count - i);
}

#if defined GW_ISA_amx
gw_status gw_pack_amx(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) {
    return precision == GW_BF16 ? gw_packed_new_squares(weight, n, k, gw_operand_pack, out)
                                : gw_packed_new(weight, n, k, precision, out);
}

static const gw_linear_parts parts = {
    .finish = finish, .norm = norm, .bf16 = bf16, .pack = gw_operand_pack, .dot = gw_tiles_dot};
#else
static const gw_linear_parts parts = {.finish = finish, .norm = norm, .bf16 = bf16};
#endif

gw_status GW_KERNEL(linear)(const gw_linear_args *args) {
    return gw_linear_onednn(args, &parts);
}
