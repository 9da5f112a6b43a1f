// SPDX-License-Identifier: MIT
// Linear layers over packed weights, by oneDNN or in squares. Threads take tiles of rows in turn and complete each
// (bias, activation, residual, norm) while it is in the cache.
#ifndef GW_KERNELS_CPU_MATMUL_LINEAR_ONEDNN_H
#define GW_KERNELS_CPU_MATMUL_LINEAR_ONEDNN_H

#include "kernels/cpu/matmul/gemm_packed.h"

// The end of a layer for one tile: to[r][i] = f(product[r][i] + bias[i]) + residual[r][i]
typedef struct {
    gw_activation activation;
    int64_t rows, columns;
    const float *product;           // [rows], or the same memory as out
    const float *bias;              // [columns] or NULL
    const float *residual;          // or NULL
    float *out;                     // destination of the results, or
    uint16_t *bf16;                 // destination of the results in bf16; the other is NULL
    int64_t product_stride, stride; // in numbers, between rows of product; between rows of residual, out, bf16
    bool squares;                   // bf16 is in squares of 16 rows by 32 numbers, `stride` numbers deep
} gw_linear_end;

// Functions of an instruction set for the product.
typedef struct {
    void (*finish)(const gw_linear_end *end);
    // rows = LN(rows) with the norm of `args`, in place, for `count` rows of out[0] from `row` on
    void (*norm)(const gw_linear_args *args, int64_t row, int64_t count, int64_t width);
    // to[i] = from[i] rounded to bf16, to nearest, ties to even
    void (*bf16)(uint16_t *to, const float *from, int64_t count);
    // for weights in squares: packs rows into squares, and multiplies
    void (*pack)(const gw_operand *operand);
    void (*dot)(const gw_dot *dot);
} gw_linear_parts;

gw_status gw_linear_onednn(const gw_linear_args *args, const gw_linear_parts *parts) GW_MUST_CHECK;
int64_t gw_linear_scratch(const gw_linear_args *args); // depends only on the layers' weights

#endif
