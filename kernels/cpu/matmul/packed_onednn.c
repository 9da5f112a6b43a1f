// SPDX-License-Identifier: MIT
// Packs weights for oneDNN's products, chooses the heights of their tiles and multiplies.
#include "kernels/cpu/matmul/packed_onednn.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/cpu/matmul/tile_heights.h"

#include <stdatomic.h>
#include <stdlib.h>

// Columns of a block: few enough that threads can share the blocks of a single tile.
enum { WIDEST = 192, COLUMN_STEP = 16 };

static int64_t nc_of(int64_t n) {
    const int64_t columns = gw_round_up(gw_divide_up(n, gw_divide_up(n, WIDEST)), COLUMN_STEP);
    return columns < n ? columns : n;
}

static dnnl_status_t make_products(gw_packed *packed) {
    const int64_t last = gw_packed_columns(packed, packed->n_blocks - 1);
    for (int width = 0; width < GW_BLOCK_WIDTHS; width++) {
        const int64_t columns = width == GW_WHOLE_BLOCK ? packed->columns : last;
        if (width == GW_REST_BLOCK && last == packed->columns) continue;
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

// ---- heights that give a row the same bits

// Products of one width of a layer's blocks with random weights.
typedef struct {
    const gw_product *products;
    void *weight, *scratch;
} heights_trial;

static int multiply_height(void *context, int height, const void *a, float *c) {
    const heights_trial *trial = context;
    return (int)gw_product_run(&trial->products[height], a, trial->weight, c, trial->scratch);
}

static int64_t most_scratch(const gw_product *products, int heights) {
    int64_t most = GW_PACKED_ALIGNMENT;
    for (int i = 0; i < heights; i++) most = products[i].scratch > most ? products[i].scratch : most;
    return gw_round_up(most, GW_PACKED_ALIGNMENT);
}

// Of one width of blocks.
typedef struct {
    const gw_packed *packed;
    const gw_product *products;
} width_products;

static gw_status try_products(const void *context, int *same) {
    const gw_packed *packed = ((const width_products *)context)->packed;
    const gw_product *products = ((const width_products *)context)->products;
    const int64_t columns = products->columns;
    int64_t rows[GW_TILE_HEIGHTS];
    for (int i = 0; i < packed->heights; i++) rows[i] = gw_packed_height(i);
    const int64_t weight_bytes = gw_round_up(gw_product_weight_bytes(products), GW_PACKED_ALIGNMENT);
    const int64_t plain_bytes = gw_round_up(columns * packed->k * (int64_t)sizeof(float), GW_PACKED_ALIGNMENT);
    char *memory = gw_alloc_aligned(weight_bytes + plain_bytes + most_scratch(products, packed->heights));
    if (!memory) return GW_ERR_MEMORY;
    float *plain = (float *)(memory + weight_bytes);
    heights_trial trial = {products, memory, memory + weight_bytes + plain_bytes};
    gw_tile_random(1, plain, columns * packed->k);
    const dnnl_status_t made = gw_product_pack(products, plain, columns, packed->k, memory);
    const gw_status status = made != dnnl_success ? gw_packed_refuse(packed, GW_TILE_ROWS, (int)made)
                                                  : gw_tile_heights_try(&(gw_tile_trial){.heights = packed->heights,
                                                                                         .rows = rows,
                                                                                         .columns = columns,
                                                                                         .k = packed->k,
                                                                                         .stride = packed->stride,
                                                                                         .precision = packed->precision,
                                                                                         .multiply = multiply_height,
                                                                                         .context = &trial},
                                                                        same);
    free(memory);
    return status;
}

static gw_status heights_of(const gw_packed *packed, const gw_product *products, int *same) {
    const gw_tile_key key = {.columns = products->columns,
                             .k = packed->k,
                             .stride = packed->stride,
                             .form = packed->precision == GW_BF16 ? GW_TILES_OF_BF16 : GW_TILES_OF_F32};
    return gw_tile_heights(&key, try_products, &(width_products){packed, products}, same);
}

// Those heights that all widths of blocks may have.
static gw_status choose_heights(gw_packed *packed) {
    int least = packed->heights;
    for (int width = 0; width < GW_BLOCK_WIDTHS; width++) {
        const gw_product *products = packed->product[width];
        if (products->columns == 0) continue;
        int same;
        GW_TRY(heights_of(packed, products, &same));
        if (same == 0)
            return gw_fail(GW_ERR_UNSUPPORTED,
                           "oneDNN gives rows of a layer of %lld to %lld other bits at other places of a batch",
                           (long long)packed->k, (long long)packed->n);
        least = same < least ? same : least;
    }
    packed->heights = least;
    return GW_OK;
}

// ---- packing

typedef struct {
    const gw_packed *packed;
    const float *weight;
    _Atomic int status;
} packing;

static void pack_blocks(void *context, int64_t begin, int64_t end, int thread) {
    packing *work = context;
    const gw_packed *packed = work->packed;
    (void)thread;
    for (int64_t n_block = begin; n_block < end; n_block++) {
        const dnnl_status_t status = gw_product_pack(
            gw_packed_product(packed, n_block, 0), work->weight + n_block * packed->columns * packed->k,
            gw_packed_columns(packed, n_block), packed->k, packed->weight + n_block * packed->block_bytes);
        if (status != dnnl_success) atomic_store(&work->status, (int)status);
    }
}

gw_status gw_packed_refuse(const gw_packed *packed, int64_t rows, int status) {
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_UNSUPPORTED,
                   "oneDNN refuses a linear layer of %lld rows, %lld to %lld (status %d)", (long long)rows,
                   (long long)packed->k, (long long)packed->n, status);
}

// On one thread, as tiles are multiplied: how many there are decides what oneDNN makes, too.
static gw_status prepare(gw_packed *packed) {
    const int threads = gw_threads();
    gw_set_threads(1);
    const dnnl_status_t made = make_products(packed);
    const gw_status status =
        made == dnnl_success ? choose_heights(packed) : gw_packed_refuse(packed, GW_TILE_ROWS, (int)made);
    gw_set_threads(threads);
    return status;
}

static gw_status pack(gw_packed *packed, const float *weight) {
    GW_TRY(prepare(packed));
    packed->block_bytes = gw_round_up(gw_product_weight_bytes(gw_packed_product(packed, 0, 0)), GW_PACKED_ALIGNMENT);
    packed->weight = gw_alloc_aligned(packed->block_bytes * packed->n_blocks);
    if (!packed->weight) return GW_ERR_MEMORY;
    packing work = {.packed = packed, .weight = weight, .status = dnnl_success};
    gw_parallel_for(packed->n_blocks, 1, pack_blocks, &work);
    const int status = atomic_load(&work.status);
    return status == dnnl_success ? GW_OK : gw_packed_refuse(packed, GW_TILE_ROWS, status);
}

gw_status gw_packed_new(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) {
    *out = NULL;
    if (precision == GW_BF16 && !gw_cpu_has_bf16())
        return gw_fail(GW_ERR_UNSUPPORTED, "this processor has no bf16 instructions (AVX512_BF16)");
    gw_packed *packed = gw_alloc(1, sizeof *packed);
    if (!packed) return GW_ERR_MEMORY;
    packed->precision = precision;
    packed->n = n;
    packed->k = k;
    packed->columns = nc_of(n);
    packed->n_blocks = gw_divide_up(n, packed->columns);
    // f32 products are made where they belong; those of bf16 in a tile of their own, from where they may go as bf16
    packed->stride = precision == GW_F32 ? n : packed->columns;
    packed->heights = GW_TILE_HEIGHTS;
    const gw_status status = pack(packed, weight);
    if (status == GW_OK) *out = packed;
    else gw_packed_free(packed);
    return status;
}

void gw_packed_free(gw_packed *packed) {
    if (!packed) return;
    for (int width = 0; width < GW_BLOCK_WIDTHS; width++)
        for (int i = 0; i < GW_TILE_HEIGHTS; i++) gw_product_free(&packed->product[width][i]);
    free(packed->weight);
    free(packed);
}

int64_t gw_packed_bytes(const gw_packed *packed) {
    return packed->block_bytes * packed->n_blocks;
}
