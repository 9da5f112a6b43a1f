// SPDX-License-Identifier: MIT
// oneDNN's C API, 2.x and 3.x alike: the engine, memory descriptors, and matmul on one thread at a time, for which
// kernels/cpu/matmul/gemm_strips.h stands in where oneDNN has none that is fast.
#ifndef GW_KERNELS_CPU_MATMUL_ONEDNN_H
#define GW_KERNELS_CPU_MATMUL_ONEDNN_H

#include "kernels/cpu/matmul/packed.h"

#include <dnnl.h>

// A descriptor is a struct in 2.x and a handle in 3.x; GW_MD() is what functions take.
#if DNNL_VERSION_MAJOR >= 3
#define GW_MD(md) (md)
#else
#define GW_MD(md) (&(md))
#endif

// One product c = a W^T of fixed shape: a [rows][k] and c [rows][columns] with `stride` floats between its rows.
typedef struct {
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t a, weight, c; // of `weight` the layout that the product wants
    int64_t scratch;                 // bytes
    bool by_strips; // kernels/cpu/matmul/gemm_strips.h multiplies: the above are empty, the below say what
    int64_t rows, columns, k, stride;
} gw_product;

// Where `like` is not NULL, the weights' layout is that one's. NULL primitive after a failure; free it all the same.
dnnl_status_t gw_product_make(gw_product *product, int64_t rows, int64_t columns, int64_t k, int64_t stride,
                              gw_precision precision, const gw_product *like) GW_MUST_CHECK;
// One product of kernels/cpu/matmul/block_product.h.
dnnl_status_t gw_product_make_packed(gw_product *product, int64_t rows, int64_t columns, int64_t k,
                                     bool adds) GW_MUST_CHECK;
void gw_product_free(gw_product *product);
int64_t gw_product_weight_bytes(const gw_product *product);
// Lays rows of `weight` ([columns][k]) out as the product wants them, in its precision.
dnnl_status_t gw_product_pack(const gw_product *product, const float *weight, int64_t columns, int64_t k,
                              void *out) GW_MUST_CHECK;
dnnl_status_t gw_product_run(const gw_product *product, const void *a, const void *weight, float *c,
                             void *scratch) GW_MUST_CHECK;

// An instruction set of x86-64: false on other processors.
bool gw_onednn_has(dnnl_cpu_isa_t isa);

#endif
