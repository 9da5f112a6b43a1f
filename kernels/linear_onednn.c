// SPDX-License-Identifier: MIT
#include "kernels/linear_onednn.h"

#include "base/parallel.h"
#include "kernels/packed_onednn.h"

#include <stdatomic.h>
#include <string.h>

// A thread's scratch, in bytes: the tile's rows of `in` in their precision, a tile of c, oneDNN's own.
typedef struct {
    int64_t in, c, own, all;
} scratch_layout;

static scratch_layout layout_of(const gw_packed *packed) {
    scratch_layout layout = {.in = gw_round_up(GW_TILE_ROWS * packed->k * (int64_t)sizeof(float), GW_PACKED_ALIGNMENT),
                             .c = gw_round_up(GW_TILE_ROWS * packed->n * (int64_t)sizeof(float), GW_PACKED_ALIGNMENT)};
    for (int width = 0; width < GW_CHUNK_WIDTHS; width++)
        for (int i = 0; i < packed->heights; i++)
            if (packed->product[width][i].scratch > layout.own) layout.own = packed->product[width][i].scratch;
    layout.own = gw_round_up(layout.own, GW_PACKED_ALIGNMENT);
    layout.all = layout.in + layout.c + layout.own;
    return layout;
}

int64_t gw_linear_scratch(int threads, const gw_packed *weight) {
    return (threads * layout_of(weight).all + GW_PACKED_ALIGNMENT) / (int64_t)sizeof(float);
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
    linear_tile tile = {.row = item / packed->chunks * GW_TILE_ROWS, .chunk = item % packed->chunks};
    tile.rows = args->rows - tile.row < GW_TILE_ROWS ? args->rows - tile.row : GW_TILE_ROWS;
    tile.columns = gw_packed_columns(packed, tile.chunk);
    if (packed->heights > 1) tile.height = (int)((GW_TILE_ROWS - tile.rows) / GW_TILE_STEP);
    return tile;
}

// The tile's rows of `in`: in place, or as the product needs them in `copy`.
static const void *rows_of(const linear_run *run, const linear_tile *tile, void *copy) {
    const gw_packed *packed = run->args->weight;
    const int64_t height = gw_packed_height(tile->height), count = tile->rows * packed->k;
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
    const bool whole = tile->rows == gw_packed_height(tile->height);
    const dnnl_status_t status =
        gw_product_run(gw_packed_product(packed, tile->chunk, tile->height), rows_of(run, tile, scratch),
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
    run.scratch =
        (char *)(((uintptr_t)args->scratch + GW_PACKED_ALIGNMENT - 1) / GW_PACKED_ALIGNMENT * GW_PACKED_ALIGNMENT);
    const int64_t items = gw_divide_up(args->rows, GW_TILE_ROWS) * args->weight->chunks;
    const int threads = gw_threads();
    if (items == 1) gw_set_threads(1); // outside a parallel region oneDNN would use all of them
    gw_parallel_for(items, 1, each_tile, &run);
    if (items == 1) gw_set_threads(threads);
    const int status = atomic_load(&run.status);
    return status == dnnl_success ? GW_OK : gw_packed_refuse(args->weight, args->rows, status);
}
