// SPDX-License-Identifier: MIT
// oneDNN's C API, versions 2.x and 3.x: the engine, memory descriptors, and matmul on one thread at a time.
// kernels/cpu/matmul/gemm_strips.h replaces it where oneDNN has no fast matmul.
#ifndef GW_KERNELS_CPU_MATMUL_ONEDNN_H
#define GW_KERNELS_CPU_MATMUL_ONEDNN_H

#include "kernels/cpu/matmul/packed.h"

#include <dnnl.h>

// A descriptor is a struct in 2.x and a handle in 3.x; functions take GW_MD().
#if DNNL_VERSION_MAJOR >= 3
#define GW_MD(md) (md)
#else
#define GW_MD(md) (&(md))
#endif

// One product c = a W^T of fixed shape: a [rows][k] and c [rows][columns] with `stride` floats between its rows.
typedef struct {
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t a, weight, c; // for `weight`, the layout that the product needs
    int64_t scratch;                 // bytes
    bool by_strips; // kernels/cpu/matmul/gemm_strips.h multiplies: the members above are empty, those below are set
    int64_t rows, columns, k, stride;
} gw_product;

// If `like` is not NULL, the weights' layout is that of `like`. After a failure the primitive is NULL; free it
// nevertheless.
dnnl_status_t gw_product_make(gw_product *product, int64_t rows, int64_t columns, int64_t k, int64_t stride,
                              gw_precision precision, const gw_product *like) GW_MUST_CHECK;
// Makes a product for kernels/cpu/matmul/block_product.h.
dnnl_status_t gw_product_make_packed(gw_product *product, int64_t rows, int64_t columns, int64_t k,
                                     bool adds) GW_MUST_CHECK;
void gw_product_free(gw_product *product);
int64_t gw_product_weight_bytes(const gw_product *product);
// Packs rows of `weight` ([columns][k]) in the product's layout and precision.
dnnl_status_t gw_product_pack(const gw_product *product, const float *weight, int64_t columns, int64_t k,
                              void *out) GW_MUST_CHECK;
dnnl_status_t gw_product_run(const gw_product *product, const void *a, const void *weight, float *c,
                             void *scratch) GW_MUST_CHECK;

// Whether the processor has an instruction set of x86-64; false on other processors.
bool gw_onednn_has(dnnl_cpu_isa_t isa);

#endif
