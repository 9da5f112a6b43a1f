// SPDX-License-Identifier: MIT
// Makes matrix products of oneDNN and runs them on the calling thread.
#include "kernels/cpu/matmul/onednn.h"

#include "kernels/cpu/matmul/gemm_strips.h"
#include "kernels/cpu/matmul/onednn_version.h"

#include <dnnl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_status_t status;
} shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
    shared.status = dnnl_engine_create(&shared.engine, dnnl_cpu, 0);
    if (shared.status == dnnl_success)
        shared.status = dnnl_stream_create(&shared.stream, shared.engine, dnnl_stream_default_flags);
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const dnnl_status_t status_ = (call);                                                                          \
        if (status_ != dnnl_success) return status_;                                                                   \
    } while (0)

bool gw_onednn_has(dnnl_cpu_isa_t isa) {
#ifdef __x86_64__
    return (dnnl_get_effective_cpu_isa() & isa) == isa;
#else
    (void)isa; // on other processors the same bits are other instruction sets
    return false;
#endif
}

bool gw_cpu_has_bf16(void) {
    return gw_onednn_has(dnnl_cpu_isa_avx512_core_bf16);
}

// A matrix [rows][columns] with `stride` numbers between rows and `step` between columns; stride 0: any layout.
static dnnl_status_t make_matrix(dnnl_memory_desc_t *md, int64_t rows, int64_t columns, dnnl_data_type_t type,
                                 int64_t stride, int64_t step) {
    const dnnl_dims_t shape = {rows, columns}, strides = {stride, step};
#if DNNL_VERSION_MAJOR >= 3
    return stride > 0 ? dnnl_memory_desc_create_with_strides(md, 2, shape, type, strides)
                      : dnnl_memory_desc_create_with_tag(md, 2, shape, type, dnnl_format_tag_any);
#else
    return stride > 0 ? dnnl_memory_desc_init_by_strides(md, 2, shape, type, strides)
                      : dnnl_memory_desc_init_by_tag(md, 2, shape, type, dnnl_format_tag_any);
#endif
}

static void free_matrix(dnnl_memory_desc_t *md) {
#if DNNL_VERSION_MAJOR >= 3
    if (*md) dnnl_memory_desc_destroy(*md);
    *md = NULL;
#else
    (void)md;
#endif
}

static dnnl_status_t describe(dnnl_primitive_desc_t *description, const gw_product *p, const dnnl_memory_desc_t *weight,
                              const_dnnl_primitive_attr_t attributes) {
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_matmul_primitive_desc_create(description, shared.engine, p->a, *weight, NULL, p->c, attributes);
#else
    dnnl_matmul_desc_t matmul;
    TRY(dnnl_matmul_desc_init(&matmul, &p->a, weight, NULL, &p->c));
    return dnnl_primitive_desc_create(description, &matmul, attributes, shared.engine, NULL);
#endif
}

static dnnl_status_t keep_layout(gw_product *product, const_dnnl_primitive_desc_t description) {
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_memory_desc_clone(&product->weight,
                                  dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0));
#else
    product->weight = *dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
    return dnnl_success;
#endif
}

// The result is added to what stands in c.
static dnnl_status_t set_sum(dnnl_primitive_attr_t attributes) {
    dnnl_post_ops_t sum;
    TRY(dnnl_post_ops_create(&sum));
#if DNNL_VERSION_MAJOR >= 3
    dnnl_status_t status = dnnl_post_ops_append_sum(sum, 1.0f, 0, dnnl_data_type_undef);
#else
    dnnl_status_t status = dnnl_post_ops_append_sum(sum, 1.0f);
#endif
    if (status == dnnl_success) status = dnnl_primitive_attr_set_post_ops(attributes, sum);
    dnnl_post_ops_destroy(sum);
    return status;
}

static dnnl_status_t make_primitive(gw_product *product, const dnnl_memory_desc_t *weight, bool adds) {
    dnnl_primitive_attr_t attributes;
    dnnl_primitive_desc_t description = NULL;
    TRY(dnnl_primitive_attr_create(&attributes));
    dnnl_status_t status = dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    if (status == dnnl_success && adds) status = set_sum(attributes);
    if (status == dnnl_success) status = describe(&description, product, weight, attributes);
    if (status == dnnl_success) status = keep_layout(product, description);
    if (status == dnnl_success) {
        product->scratch =
            (int64_t)dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0));
        status = dnnl_primitive_create(&product->primitive, description);
    }
    if (description) dnnl_primitive_desc_destroy(description);
    dnnl_primitive_attr_destroy(attributes);
    return status;
}

static dnnl_data_type_t type_of(gw_precision precision) {
    return precision == GW_BF16 ? dnnl_bf16 : dnnl_f32;
}

dnnl_status_t gw_product_make(gw_product *product, int64_t rows, int64_t columns, int64_t k, int64_t stride,
                              gw_precision precision, const gw_product *like) {
    const bool by_strips = GW_BY_STRIPS && precision == GW_F32;
    *product = (gw_product){.by_strips = by_strips, .rows = rows, .columns = columns, .k = k, .stride = stride};
    if (product->by_strips) return dnnl_success;
    pthread_once(&once, start);
    TRY(shared.status);
    TRY(make_matrix(&product->a, rows, k, type_of(precision), k, 1));
    TRY(make_matrix(&product->c, rows, columns, dnnl_f32, stride, 1));
    if (like) return make_primitive(product, &like->weight, false);
    dnnl_memory_desc_t any;
    TRY(make_matrix(&any, k, columns, type_of(precision), 0, 0));
    const dnnl_status_t status = make_primitive(product, &any, false);
    free_matrix(&any);
    return status;
}

static dnnl_status_t make_micro_panels(dnnl_memory_desc_t *md, int64_t rows, int64_t columns) {
    const dnnl_dims_t shape = {rows, columns};
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_memory_desc_create_with_tag(md, 2, shape, dnnl_bf16, dnnl_BA16a64b2a);
#else
    return dnnl_memory_desc_init_by_tag(md, 2, shape, dnnl_bf16, dnnl_BA16a64b2a);
#endif
}

dnnl_status_t gw_product_make_packed(gw_product *product, int64_t rows, int64_t columns, int64_t k, bool adds) {
    dnnl_memory_desc_t micro_panels;
    *product = (gw_product){0};
    pthread_once(&once, start);
    TRY(shared.status);
    TRY(make_matrix(&product->a, rows, k, dnnl_bf16, k, 1));
    TRY(make_matrix(&product->c, rows, columns, dnnl_f32, columns, 1));
    TRY(make_micro_panels(&micro_panels, k, columns));
    const dnnl_status_t status = make_primitive(product, &micro_panels, adds);
    free_matrix(&micro_panels);
    return status;
}

void gw_product_free(gw_product *product) {
    if (product->primitive) dnnl_primitive_destroy(product->primitive);
    free_matrix(&product->a);
    free_matrix(&product->c);
    free_matrix(&product->weight);
    product->primitive = NULL;
}

int64_t gw_product_weight_bytes(const gw_product *product) {
    if (product->by_strips) return gw_strips_bytes(product->columns, product->k);
    return (int64_t)dnnl_memory_desc_get_size(GW_MD(product->weight));
}

static dnnl_status_t run(const_dnnl_primitive_t primitive, int count, const dnnl_exec_arg_t *arguments) {
    TRY(dnnl_primitive_execute(primitive, shared.stream, count, arguments));
    return dnnl_stream_wait(shared.stream);
}

// Runs a reorder between two memories that exist.
static dnnl_status_t reorder(dnnl_memory_t from, const dnnl_memory_desc_t *from_layout, dnnl_memory_t to,
                             const dnnl_memory_desc_t *to_layout) {
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    TRY(dnnl_reorder_primitive_desc_create(&description, GW_MD(*from_layout), shared.engine, GW_MD(*to_layout),
                                           shared.engine, NULL));
    dnnl_status_t status = dnnl_primitive_create(&primitive, description);
    dnnl_primitive_desc_destroy(description);
    if (status != dnnl_success) return status;
    status = run(primitive, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    dnnl_primitive_destroy(primitive);
    return status;
}

// scratch memory is described as bytes: its own descriptor does not outlive the primitive's description
static dnnl_status_t make_scratch(const gw_product *product, void *scratch, dnnl_memory_t *memory) {
    dnnl_memory_desc_t bytes;
    TRY(make_matrix(&bytes, 1, product->scratch, dnnl_u8, product->scratch, 1));
    const dnnl_status_t status = dnnl_memory_create(memory, GW_MD(bytes), shared.engine, scratch);
    free_matrix(&bytes);
    return status;
}

dnnl_status_t gw_product_run(const gw_product *product, const void *a, const void *weight, float *c, void *scratch) {
    if (product->by_strips) {
        gw_strips_linear(a, weight, product->rows, product->columns, product->k, c, product->stride);
        return dnnl_success;
    }
    dnnl_memory_t memory[4] = {NULL};
    dnnl_status_t status = dnnl_memory_create(&memory[0], GW_MD(product->a), shared.engine, (void *)a);
    if (status == dnnl_success)
        status = dnnl_memory_create(&memory[1], GW_MD(product->weight), shared.engine, (void *)weight);
    if (status == dnnl_success) status = dnnl_memory_create(&memory[2], GW_MD(product->c), shared.engine, c);
    if (status == dnnl_success && product->scratch > 0) status = make_scratch(product, scratch, &memory[3]);
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, memory[0]},
                                         {DNNL_ARG_WEIGHTS, memory[1]},
                                         {DNNL_ARG_DST, memory[2]},
                                         {DNNL_ARG_SCRATCHPAD, memory[3]}};
    if (status == dnnl_success) status = run(product->primitive, product->scratch > 0 ? 4 : 3, arguments);
    for (int i = 0; i < 4; i++)
        if (memory[i]) dnnl_memory_destroy(memory[i]);
    return status;
}

dnnl_status_t gw_product_pack(const gw_product *product, const float *weight, int64_t columns, int64_t k, void *out) {
    if (product->by_strips) {
        gw_strips_pack(weight, columns, k, out);
        return dnnl_success;
    }
    dnnl_memory_desc_t plain;
    dnnl_memory_t from = NULL, to = NULL;
    TRY(make_matrix(&plain, k, columns, dnnl_f32, 1, k));
    dnnl_status_t status = dnnl_memory_create(&from, GW_MD(plain), shared.engine, (void *)weight);
    if (status == dnnl_success) status = dnnl_memory_create(&to, GW_MD(product->weight), shared.engine, out);
    if (status == dnnl_success) status = reorder(from, &plain, to, &product->weight);
    if (from) dnnl_memory_destroy(from);
    if (to) dnnl_memory_destroy(to);
    free_matrix(&plain);
    return status;
}

const char *gw_onednn_version(void) {
    static char text[48];
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d", version->major, version->minor, version->patch);
    return text;
}
