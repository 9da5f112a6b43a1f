// SPDX-License-Identifier: MIT
#include "kernels/packed_onednn.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/gemm_strips.h"

#include <stdatomic.h>
#include <stdlib.h>

// Columns of a chunk: so many that the weights of a few columns at a time and a tile's rows stay in the cache.
enum { WIDEST = 768, LARGEST = 1 << 20, COLUMN_STEP = 16 };

static int64_t chunk_columns(int64_t n, int64_t k) {
    const int64_t widest = LARGEST / k < WIDEST / 3 ? WIDEST / 3 : LARGEST / k > WIDEST ? WIDEST : LARGEST / k;
    const int64_t columns = gw_round_up(gw_divide_up(n, gw_divide_up(n, widest)), COLUMN_STEP);
    return columns < n ? columns : n;
}

static dnnl_status_t make_products(gw_packed *packed) {
    const int64_t last = gw_packed_columns(packed, packed->chunks - 1);
    for (int width = 0; width < GW_CHUNK_WIDTHS; width++) {
        const int64_t columns = width == GW_WHOLE_CHUNK ? packed->columns : last;
        if (width == GW_REST_CHUNK && last == packed->columns) continue;
        gw_product *products = packed->product[width];
        for (int i = 0; i < packed->heights; i++) {
            const dnnl_status_t status =
                gw_product_make(&products[i], gw_packed_height(i), columns, packed->k, packed->stride,
                                packed->precision, i > 0 ? &products[0] : NULL);
            if (status != dnnl_success) return status;
        }
    }
    return dnnl_success;
}

typedef struct {
    const gw_packed *packed;
    const float *weight;
    _Atomic int status;
} packing;

static void pack_chunks(void *context, int64_t begin, int64_t end, int thread) {
    packing *work = context;
    const gw_packed *packed = work->packed;
    (void)thread;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const dnnl_status_t status =
            gw_product_pack(gw_packed_product(packed, chunk, 0), work->weight + chunk * packed->columns * packed->k,
                            gw_packed_columns(packed, chunk), packed->k, packed->weight + chunk * packed->chunk_bytes);
        if (status != dnnl_success) atomic_store(&work->status, (int)status);
    }
}

gw_status gw_packed_refuse(const gw_packed *packed, int64_t rows, int status) {
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_UNSUPPORTED,
                   "oneDNN refuses a linear layer of %lld rows, %lld to %lld (status %d)", (long long)rows,
                   (long long)packed->k, (long long)packed->n, status);
}

static gw_status pack(gw_packed *packed, const float *weight) {
    const dnnl_status_t made = make_products(packed);
    if (made != dnnl_success) return gw_packed_refuse(packed, GW_TILE_ROWS, (int)made);
    packed->chunk_bytes = gw_round_up(gw_product_weight_bytes(gw_packed_product(packed, 0, 0)), GW_PACKED_ALIGNMENT);
    packed->weight = gw_alloc_aligned(packed->chunk_bytes * packed->chunks);
    if (!packed->weight) return GW_ERR_MEMORY;
    packing work = {.packed = packed, .weight = weight, .status = dnnl_success};
    gw_parallel_for(packed->chunks, 1, pack_chunks, &work);
    const int status = atomic_load(&work.status);
    return status == dnnl_success ? GW_OK : gw_packed_refuse(packed, GW_TILE_ROWS, status);
}

gw_status gw_packed_new(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) {
    *out = NULL;
    if (precision == GW_BF16 && !gw_has_bf16())
        return gw_fail(GW_ERR_UNSUPPORTED, "this processor has no bf16 instructions (AVX512_BF16)");
    gw_packed *packed = gw_alloc(1, sizeof *packed);
    if (!packed) return GW_ERR_MEMORY;
    packed->precision = precision;
    packed->n = n;
    packed->k = k;
    packed->columns = chunk_columns(n, k);
    packed->chunks = gw_divide_up(n, packed->columns);
    // f32 products are made where they belong; those of bf16 in a tile of their own, from where they may go as bf16
    packed->stride = precision == GW_F32 ? n : packed->columns;
    packed->heights = GW_BY_STRIPS || gw_onednn_has(dnnl_cpu_isa_avx512_core) ? GW_TILE_HEIGHTS : 1;
    const gw_status status = pack(packed, weight);
    if (status == GW_OK) *out = packed;
    else gw_packed_free(packed);
    return status;
}

void gw_packed_free(gw_packed *packed) {
    if (!packed) return;
    for (int width = 0; width < GW_CHUNK_WIDTHS; width++)
        for (int i = 0; i < GW_TILE_HEIGHTS; i++) gw_product_free(&packed->product[width][i]);
    free(packed->weight);
    free(packed);
}

int64_t gw_packed_bytes(const gw_packed *packed) {
    return packed->chunk_bytes * packed->chunks;
}
