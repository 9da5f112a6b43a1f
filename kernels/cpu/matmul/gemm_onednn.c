// SPDX-License-Identifier: MIT
// oneDNN's dnnl_sgemm (the same in its 2.x and 3.x C API) on tiles of c that threads take in turn.
//
// On several threads dnnl_sgemm splits K if M N is small, which makes sums depend on the number of threads. On one
// thread it does not, so every tile is one call on one thread. Its choice of a kernel depends on M. Tiles of c
// therefore have one height, or several heights for which a trial has shown that rows keep their bits; missing rows of
// the last tiles are computed from zeros in scratch memory and dropped. Deep products are computed in parts, one added
// to the other. Each call allocates its own memory for packed operands; dnnl_sgemm does not accept any. Where
// dnnl_sgemm is a plain loop (everywhere except x86-64), kernels/cpu/matmul/gemm_strips.h computes the tiles.
#include "kernels/cpu/matmul/gemm_onednn.h"

#include "base/parallel.h"
#include "kernels/cpu/matmul/gemm_heights.h"
#include "kernels/cpu/matmul/gemm_strips.h"
#include "kernels/cpu/matmul/onednn.h"

#include <stdatomic.h>
#include <string.h>

// The tile's height; columns at most. With AVX-512 lower tiles run at 0.8 to 0.9 of the speed.
enum { ROWS = 64, ROWS_AVX512 = GW_MOST_ROWS, WIDEST = 384, WIDEST_AVX512 = 768, DEEPEST = 4096 };
// Where a is transposed, its height stands for the weights of a layer and no batch changes it: tiles may follow it.
enum { ROWS_TRANSPOSED = 256, LEAST_TRANSPOSED = 2 * ROWS_TRANSPOSED, LEAST_IN_ROW = 4 };
enum { TALL_TILES_A_THREAD = 2 }; // at least, so that threads end together
enum { LEAST_WORTH = 256 * 256 }; // of b's numbers in a tile: less is not worth a trial

typedef struct {
    const gw_gemm_args *args;
    int64_t tall;          // rows of tiles that have GW_TALL_ROWS, before those of `rows`
    int64_t rows, columns; // of a tile
    int64_t step;          // the height of the last ones is a multiple of this
    int64_t tiles_in_row;  // tiles side by side
    int64_t copies;        // of tiles of too few rows that are at work at once
    _Atomic int status;    // dnnl_status_t of the last call that failed
} tiling;

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

// By the instruction set and N alone; where a is transposed by M too.
static tiling cut(const gw_gemm_args *args) {
    const bool has_avx512 = gw_onednn_has(dnnl_cpu_isa_avx512_core);
    tiling t = {.args = args, .rows = has_avx512 ? ROWS_AVX512 : ROWS, .status = dnnl_success};
    t.tiles_in_row = divide_up(args->n, has_avx512 ? WIDEST_AVX512 : WIDEST);
    if (args->transpose_a && args->m >= LEAST_TRANSPOSED && t.tiles_in_row >= LEAST_IN_ROW) t.rows = ROWS_TRANSPOSED;
    t.columns = divide_up(args->n, t.tiles_in_row);
    t.copies = t.tiles_in_row < gw_threads() ? t.tiles_in_row : gw_threads();
    t.step = t.rows;
    return t;
}

// Other heights, where they pay and change no bit.
static gw_status choose_heights(tiling *t) {
    const gw_gemm_args *args = t->args;
    const int64_t tall = args->m / GW_TALL_ROWS, missing = divide_up(args->m, t->rows) * t->rows - args->m;
    const bool has_tall = tall * t->tiles_in_row >= (int64_t)TALL_TILES_A_THREAD * gw_threads();
    if (GW_BY_STRIPS || t->columns * args->k < LEAST_WORTH || (!has_tall && missing < GW_ROW_STEP)) return GW_OK;
    bool agree;
    GW_TRY(gw_gemm_heights_agree(args, t->rows, t->columns, &agree));
    if (agree && has_tall) t->tall = tall;
    if (agree) t->step = GW_ROW_STEP;
    return GW_OK;
}

// The first row of the tiles that have `above` others over them.
static int64_t first_row(const tiling *t, int64_t above) {
    return above < t->tall ? above * GW_TALL_ROWS : t->tall * GW_TALL_ROWS + (above - t->tall) * t->rows;
}

static int64_t copy_size(const tiling *t) {
    const int64_t k = t->args->k < DEEPEST ? t->args->k : DEEPEST;
    return t->rows * (k + t->columns);
}

int64_t gw_gemm_onednn_scratch(const gw_gemm_args *args) {
    const bool is_whole = args->transpose_a && args->m % cut(args).rows == 0;
    if (GW_BY_STRIPS || is_whole || args->n <= 0) return 0;
    const tiling t = cut(args);
    return t.copies * copy_size(&t);
}

// to[r] = from[r] for `rows` rows of `columns` numbers.
static void copy_rows(float *to, int64_t to_stride, const float *from, int64_t from_stride, int64_t rows,
                      int64_t columns) {
    for (int64_t row = 0; row < rows; row++)
        memcpy(to + row * to_stride, from + row * from_stride, (size_t)columns * sizeof *to);
}

// c = bias or c += bias, so that the product is added to it.
static void put_bias(const gw_gemm_args *args) {
    for (int64_t row = 0; row < args->m; row++) {
        float *c = args->c + row * args->c_stride;
        if (args->accumulate)
            for (int64_t column = 0; column < args->n; column++) c[column] += args->bias[column];
        else memcpy(c, args->bias, (size_t)args->n * sizeof *c);
    }
}

static dnnl_status_t multiply(const gw_gemm_args *args) {
    if (args->bias) put_bias(args);
    const bool add = args->accumulate || args->bias;
    if (GW_BY_STRIPS) {
        gw_strips_gemm(args, add);
        return dnnl_success;
    }
    return dnnl_sgemm(args->transpose_a ? 'T' : 'N', args->transpose_b ? 'T' : 'N', args->m, args->n, args->k, 1.0f,
                      args->a, args->a_stride, args->b, args->b_stride, add ? 1.0f : 0.0f, args->c, args->c_stride);
}

// The same for a tile of too few rows: a and c are copied and filled up with zeros.
static dnnl_status_t multiply_filled(const gw_gemm_args *args, int64_t rows, float *copy) {
    gw_gemm_args filled = *args;
    memset(copy, 0, (size_t)(rows * (args->k + args->n)) * sizeof *copy);
    filled.m = rows;
    filled.a = copy, filled.a_stride = args->transpose_a ? rows : args->k;
    filled.c = copy + rows * args->k, filled.c_stride = args->n;
    if (args->transpose_a) copy_rows(copy, filled.a_stride, args->a, args->a_stride, args->k, args->m);
    else copy_rows(copy, filled.a_stride, args->a, args->a_stride, args->m, args->k);
    if (args->accumulate) copy_rows(filled.c, args->n, args->c, args->c_stride, args->m, args->n);
    const dnnl_status_t status = multiply(&filled);
    copy_rows(args->c, args->c_stride, filled.c, args->n, args->m, args->n);
    return status;
}

static void each_tile(void *context, int64_t begin, int64_t end, int thread) {
    tiling *t = context;
    for (int64_t i = begin; i < end; i++) {
        const int64_t index = i % t->tiles_in_row, above = i / t->tiles_in_row, column = index * t->columns;
        const int64_t row = first_row(t, above), rows = above < t->tall ? GW_TALL_ROWS : t->rows;
        gw_gemm_args tile = *t->args;
        tile.m = tile.m - row < rows ? tile.m - row : rows;
        tile.n = tile.n - column < t->columns ? tile.n - column : t->columns;
        tile.a += tile.transpose_a ? row : row * tile.a_stride;
        tile.b += tile.transpose_b ? column * tile.b_stride : column;
        tile.c += row * tile.c_stride + column;
        if (tile.bias) tile.bias += column;
        const int64_t filled = divide_up(tile.m, t->step) * t->step;
        const bool lacks = tile.m < filled && tile.k > 0 && !GW_BY_STRIPS;
        float *copy = tile.scratch + (t->copies < t->tiles_in_row ? thread : index) * copy_size(t);
        const dnnl_status_t status = lacks ? multiply_filled(&tile, filled, copy) : multiply(&tile);
        if (status != dnnl_success) atomic_store(&t->status, (int)status);
    }
}

static gw_status multiply_tiles(const gw_gemm_args *args) {
    tiling t = cut(args);
    GW_TRY(choose_heights(&t));
    const int64_t tiles = (t.tall + divide_up(args->m - first_row(&t, t.tall), t.rows)) * t.tiles_in_row;
    const int threads = gw_threads();
    if (tiles == 1) gw_set_threads(1); // outside a parallel region dnnl_sgemm would use all of them
    gw_parallel_for(tiles, 1, each_tile, &t);
    if (tiles == 1) gw_set_threads(threads);
    const int status = atomic_load(&t.status);
    if (status == dnnl_success) return GW_OK;
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_RANGE,
                   "oneDNN refuses a product of %lld x %lld x %lld (status %d)", (long long)args->m, (long long)args->n,
                   (long long)args->k, status);
}

gw_status gw_gemm_onednn(const gw_gemm_args *args) {
    if (args->m <= 0 || args->n <= 0 || args->k <= 0) return GW_OK;
    const int64_t parts = args->k > DEEPEST ? divide_up(args->k, DEEPEST) : 1, depth = divide_up(args->k, parts);
    gw_gemm_args part = *args;
    int64_t left = args->k;
    do {
        part.k = left < depth ? left : depth;
        GW_TRY(multiply_tiles(&part));
        part.a += part.transpose_a ? part.k * part.a_stride : part.k;
        part.b += part.transpose_b ? part.k : part.k * part.b_stride;
        part.accumulate = true;
        part.bias = NULL;
        left -= part.k;
    } while (left > 0);
    return GW_OK;
}
