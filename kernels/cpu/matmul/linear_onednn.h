// SPDX-License-Identifier: MIT
// Linear layers over packed weights, by oneDNN or in squares: tiles of rows that threads take in turn, each finished
// (bias, activation, residual, norm) while it lies in the cache.
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
    float *out;                     // where the results go, or
    uint16_t *bf16;                 // where they go as bf16; the other is NULL
    int64_t product_stride, stride; // numbers between rows of product; of residual, out, bf16
    bool squares;                   // bf16 is in squares of 16 rows by 32 numbers, `stride` numbers deep
} gw_linear_end;

// What an instruction set adds to the product.
typedef struct {
    void (*finish)(const gw_linear_end *end);
    // rows = LN(rows) with the norm of `args`, in place, for `count` rows of out[0] from `row` on
    void (*norm)(const gw_linear_args *args, int64_t row, int64_t count, int64_t width);
    // to[i] = from[i] rounded to bf16, to the nearest and ties to even
    void (*bf16)(uint16_t *to, const float *from, int64_t count);
    // for weights in squares: packs rows likewise, multiplies
    void (*pack)(const gw_operand *operand);
    void (*dot)(const gw_dot *dot);
} gw_linear_parts;

gw_status gw_linear_onednn(const gw_linear_args *args, const gw_linear_parts *parts) GW_MUST_CHECK;
int64_t gw_linear_scratch(const gw_linear_args *args); // reads the layers' weights alone

#endif
