// SPDX-License-Identifier: MIT
// W is cut into chunks of columns, and each chunk has products of a few fixed heights: tiles of the tallest, and for
// the rows that are left the lowest that holds them, filled up with zeros in a copy. With AVX-512 a row's bits are the
// same in all of them; elsewhere oneDNN's sums depend on the height, and all tiles have one.
#include "kernels/linear_onednn.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/onednn.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    TALLEST = 64,
    HEIGHT_STEP = 16,
    HEIGHTS = TALLEST / HEIGHT_STEP,
    WIDEST = 768,
    COLUMN_STEP = 16,
    ALIGNMENT = 64
};
enum { WHOLE, REST, WIDTHS }; // chunks of all columns of a chunk, and the last one

struct gw_packed {
    gw_precision precision;
    int64_t n, k, columns, chunks; // `columns` of a chunk but the last
    int heights;
    gw_product product[WIDTHS][HEIGHTS]; // the tallest first
    int64_t chunk_bytes;                 // of packed weights
    char *weight;
};

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t round_up(int64_t a, int64_t step) {
    return divide_up(a, step) * step;
}

static int64_t columns_of(const gw_packed *packed, int64_t chunk) {
    const int64_t left = packed->n - chunk * packed->columns;
    return left < packed->columns ? left : packed->columns;
}

static int64_t height_of(int index) {
    return TALLEST - index * HEIGHT_STEP;
}

static const gw_product *product_of(const gw_packed *packed, int64_t chunk, int height) {
    return &packed->product[columns_of(packed, chunk) == packed->columns ? WHOLE : REST][height];
}

static dnnl_status_t make_products(gw_packed *packed) {
    const int64_t last = columns_of(packed, packed->chunks - 1);
    for (int width = 0; width < WIDTHS; width++) {
        const int64_t columns = width == WHOLE ? packed->columns : last;
        if (width == REST && last == packed->columns) continue;
        gw_product *products = packed->product[width];
        for (int i = 0; i < packed->heights; i++) {
            const dnnl_status_t status = gw_product_make(&products[i], height_of(i), columns, packed->k, packed->n,
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
            gw_product_pack(product_of(packed, chunk, 0), work->weight + chunk * packed->columns * packed->k,
                            columns_of(packed, chunk), packed->k, packed->weight + chunk * packed->chunk_bytes);
        if (status != dnnl_success) atomic_store(&work->status, (int)status);
    }
}

static gw_status refuse(const gw_packed *packed, int64_t rows, int status) {
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_UNSUPPORTED,
                   "oneDNN refuses a linear layer of %lld rows, %lld to %lld (status %d)", (long long)rows,
                   (long long)packed->k, (long long)packed->n, status);
}

static gw_status pack(gw_packed *packed, const float *weight) {
    const dnnl_status_t made = make_products(packed);
    if (made != dnnl_success) return refuse(packed, TALLEST, (int)made);
    packed->chunk_bytes = round_up(gw_product_weight_bytes(product_of(packed, 0, 0)), ALIGNMENT);
    packed->weight = aligned_alloc(ALIGNMENT, (size_t)(packed->chunk_bytes * packed->chunks));
    if (!packed->weight) return gw_fail(GW_ERR_MEMORY, "out of memory: packed weights");
    packing work = {.packed = packed, .weight = weight, .status = dnnl_success};
    gw_parallel_for(packed->chunks, 1, pack_chunks, &work);
    const int status = atomic_load(&work.status);
    return status == dnnl_success ? GW_OK : refuse(packed, TALLEST, status);
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
    packed->columns = round_up(divide_up(n, divide_up(n, WIDEST)), COLUMN_STEP);
    if (packed->columns > n) packed->columns = n;
    packed->chunks = divide_up(n, packed->columns);
    packed->heights = gw_onednn_has(dnnl_cpu_isa_avx512_core) ? HEIGHTS : 1;
    const gw_status status = pack(packed, weight);
    if (status == GW_OK) *out = packed;
    else gw_packed_free(packed);
    return status;
}

void gw_packed_free(gw_packed *packed) {
    if (!packed) return;
    for (int width = 0; width < WIDTHS; width++)
        for (int i = 0; i < HEIGHTS; i++) gw_product_free(&packed->product[width][i]);
    free(packed->weight);
    free(packed);
}

int64_t gw_packed_bytes(const gw_packed *packed) {
    return packed->chunk_bytes * packed->chunks;
}

// A thread's scratch, in bytes: the tile's rows of `in` in their precision, a tile of c, oneDNN's own.
typedef struct {
    int64_t in, c, own, all;
} scratch_layout;

static scratch_layout layout_of(const gw_packed *packed) {
    scratch_layout layout = {.in = round_up(TALLEST * packed->k * (int64_t)sizeof(float), ALIGNMENT),
                             .c = round_up(TALLEST * packed->n * (int64_t)sizeof(float), ALIGNMENT)};
    for (int width = 0; width < WIDTHS; width++)
        for (int i = 0; i < packed->heights; i++)
            if (packed->product[width][i].scratch > layout.own) layout.own = packed->product[width][i].scratch;
    layout.own = round_up(layout.own, ALIGNMENT);
    layout.all = layout.in + layout.c + layout.own;
    return layout;
}

int64_t gw_linear_scratch(int threads, const gw_packed *weight) {
    return (threads * layout_of(weight).all + ALIGNMENT) / (int64_t)sizeof(float);
}

typedef struct {
    const gw_linear_args *args;
    const gw_linear_parts *parts;
    scratch_layout layout;
    char *scratch;
    _Atomic int status;
} linear_run;

// A tile: rows of `in` by a chunk of columns.
typedef struct {
    int64_t row, rows, chunk, columns;
    int height; // index of its product
} linear_tile;

static linear_tile tile_of(const gw_linear_args *args, int64_t item) {
    const gw_packed *packed = args->weight;
    linear_tile tile = {.row = item / packed->chunks * TALLEST, .chunk = item % packed->chunks};
    tile.rows = args->rows - tile.row < TALLEST ? args->rows - tile.row : TALLEST;
    tile.columns = columns_of(packed, tile.chunk);
    if (packed->heights > 1) tile.height = (int)((TALLEST - tile.rows) / HEIGHT_STEP);
    return tile;
}

// The tile's rows of `in`: in place, or as the product needs them in `copy`.
static const void *rows_of(const linear_run *run, const linear_tile *tile, void *copy) {
    const gw_packed *packed = run->args->weight;
    const int64_t height = height_of(tile->height), count = tile->rows * packed->k;
    const float *in = run->args->in + tile->row * packed->k;
    if (packed->precision == GW_F32 && tile->rows == height) return in;
    const int64_t size = packed->precision == GW_F32 ? (int64_t)sizeof(float) : (int64_t)sizeof(uint16_t);
    if (packed->precision == GW_F32) memcpy(copy, in, (size_t)(count * size));
    else run->parts->narrow(copy, in, count);
    memset((char *)copy + count * size, 0, (size_t)((height * packed->k - count) * size));
    return copy;
}

static dnnl_status_t take_tile(const linear_run *run, const linear_tile *tile, char *scratch) {
    const gw_linear_args *args = run->args;
    const gw_packed *packed = args->weight;
    const int64_t first = tile->chunk * packed->columns;
    float *out = args->out + tile->row * packed->n + first, *filled = (float *)(scratch + run->layout.in) + first;
    const bool whole = tile->rows == height_of(tile->height);
    const dnnl_status_t status =
        gw_product_run(product_of(packed, tile->chunk, tile->height), rows_of(run, tile, scratch),
                       packed->weight + tile->chunk * packed->chunk_bytes, whole ? out : filled,
                       scratch + run->layout.in + run->layout.c);
    for (int64_t row = 0; !whole && row < tile->rows; row++)
        memcpy(out + row * packed->n, filled + row * packed->n, (size_t)tile->columns * sizeof *out);
    run->parts->finish(args->epilogue, out, packed->n, tile->rows, tile->columns,
                       args->bias ? args->bias + first : NULL);
    return status;
}

static void each_tile(void *context, int64_t begin, int64_t end, int thread) {
    linear_run *run = context;
    for (int64_t item = begin; item < end; item++) {
        const linear_tile tile = tile_of(run->args, item);
        const dnnl_status_t status = take_tile(run, &tile, run->scratch + thread * run->layout.all);
        if (status != dnnl_success) atomic_store(&run->status, (int)status);
    }
}

gw_status gw_linear_onednn(const gw_linear_args *args, const gw_linear_parts *parts) {
    if (args->rows <= 0) return GW_OK;
    linear_run run = {.args = args, .parts = parts, .layout = layout_of(args->weight), .status = dnnl_success};
    run.scratch = (char *)(((uintptr_t)args->scratch + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    const int64_t items = divide_up(args->rows, TALLEST) * args->weight->chunks;
    const int threads = gw_threads();
    if (items == 1) gw_set_threads(1); // outside a parallel region oneDNN would use all of them
    gw_parallel_for(items, 1, each_tile, &run);
    if (items == 1) gw_set_threads(threads);
    const int status = atomic_load(&run.status);
    return status == dnnl_success ? GW_OK : refuse(args->weight, args->rows, status);
}
