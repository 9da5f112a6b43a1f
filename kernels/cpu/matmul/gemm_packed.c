// SPDX-License-Identifier: MIT
// c is cut into tiles of up to 96 rows by up to 768 columns (a chunk), the depth into pieces of up to 768. For as many
// chunks and pieces as the scratch memory holds (a slab), b is packed first; then threads take tiles in turn: rows of a
// are packed, the pieces are multiplied in their order into a tile of the cache, and that is put or added to c.
//
//            n ->                      pieces of b, by chunks of columns
//          +---------+---------+
//      k   | chunk 0 | chunk 1 |   piece 0      The cuts depend on M, N and K alone, and a tile sums its
//          +---------+---------+                pieces in order: results have the same bits for any
//          |         |         |   piece 1      number of threads.
//          +---------+---------+
#include "kernels/cpu/matmul/gemm_packed.h"

#include "base/parallel.h"
#include "kernels/cpu/matmul/packed_onednn.h"
#include "kernels/cpu/matmul/panels.h"

#include <stdatomic.h>

// A slab has up to UNITS units (a piece of a chunk each), of WIDE chunks at least where there are so many.
enum { UNITS = 8, WIDE = 4, TILES_A_THREAD = 4 };
// Bytes; SIZE of a packed number. Lines of an operand come in so many.
enum { ALIGNMENT = 64, SIZE = 2, LINES = 16 };

typedef struct {
    int64_t columns, chunks, pieces;  // columns of a chunk but the last
    int64_t slab_chunks, slab_pieces; // of a slab
    int64_t a, tile, b;               // bytes of the packed rows and the tile of a thread, and of the packed slab
} gemm_cuts;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static gemm_cuts cut(int64_t n, int64_t k) {
    gemm_cuts cuts;
    cuts.columns = gw_round_up(gw_divide_up(n, gw_divide_up(n, GW_PANEL_COLUMNS)), GW_PANEL_COLUMNS_STEP);
    cuts.chunks = gw_divide_up(n, cuts.columns);
    cuts.pieces = gw_divide_up(k, GW_PANEL_DEPTH);
    cuts.slab_pieces = least(cuts.pieces, UNITS / least(cuts.chunks, WIDE));
    cuts.slab_chunks = least(cuts.chunks, UNITS / cuts.slab_pieces);
    const int64_t depth = least(GW_PANEL_DEPTH, gw_round_up(k, GW_PANEL_DEPTH_STEP));
    cuts.a = GW_PANEL_ROWS * depth * cuts.slab_pieces * SIZE;
    cuts.tile = GW_PANEL_ROWS * cuts.columns * (int64_t)sizeof(float);
    cuts.b = least(UNITS, cuts.chunks * cuts.pieces) * cuts.columns * depth * SIZE;
    return cuts;
}

static int64_t thread_bytes(const gemm_cuts *cuts) {
    return cuts->a + cuts->tile + GW_PANEL_SCRATCH;
}

int64_t gw_gemm_packed_scratch(const gw_gemm_args *args) {
    const gemm_cuts cuts = cut(args->n, args->k);
    return (cuts.b + gw_threads() * thread_bytes(&cuts) + ALIGNMENT) / (int64_t)sizeof(float);
}

typedef struct {
    const gw_gemm_args *args;
    const gw_gemm_parts *parts;
    gemm_cuts cuts;
    bool by_onednn;                                   // who multiplies
    int64_t rows;                                     // of a tile
    char *scratch;                                    // the slab of b, then the threads' own
    int64_t first_chunk, chunks, first_piece, pieces; // of the slab at hand
    _Atomic int status;
} gemm_run;

static int64_t depth_of(const gemm_run *run, int64_t piece) {
    return least(run->args->k - (run->first_piece + piece) * GW_PANEL_DEPTH, GW_PANEL_DEPTH);
}

static int64_t whole_depth_of(const gemm_run *run, int64_t piece) {
    return gw_round_up(depth_of(run, piece), GW_PANEL_DEPTH_STEP);
}

static int64_t columns_of(const gemm_run *run, int64_t chunk) {
    return least(run->args->n - (run->first_chunk + chunk) * run->cuts.columns, run->cuts.columns);
}

static char *unit_of(const gemm_run *run, int64_t chunk, int64_t piece) {
    const int64_t pieces_before = run->cuts.slab_chunks * run->cuts.columns * GW_PANEL_DEPTH * piece;
    return run->scratch + (pieces_before + chunk * run->cuts.columns * whole_depth_of(run, piece)) * SIZE;
}

// Items are panels of 64 columns of a unit.
static void pack_panels(void *context, int64_t begin, int64_t end, int thread) {
    const gemm_run *run = context;
    const gw_gemm_args *args = run->args;
    const int64_t panels = run->cuts.columns / GW_PANEL;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t column = item % panels * GW_PANEL, chunk = item / panels % run->chunks,
                      piece = item / panels / run->chunks;
        if (column >= columns_of(run, chunk)) continue;
        const int64_t depth = (run->first_piece + piece) * GW_PANEL_DEPTH, whole_depth = whole_depth_of(run, piece);
        const int64_t line = (run->first_chunk + chunk) * run->cuts.columns + column;
        run->parts->pack(&(gw_operand){
            .from = args->b + (args->transpose_b ? line * args->b_stride + depth : depth * args->b_stride + line),
            .stride = args->b_stride,
            .lines_adjacent = !args->transpose_b,
            .lines = least(columns_of(run, chunk) - column, GW_PANEL),
            .depth = depth_of(run, piece),
            .whole_lines = GW_PANEL,
            .whole_depth = whole_depth,
            .panel = true,
            .function = args->of_b,
            .to = (uint32_t *)(unit_of(run, chunk, piece) + column * whole_depth * SIZE),
        });
    }
}

static int64_t rows_of(const gemm_run *run, int64_t row) {
    return least(run->args->m - row, run->rows);
}

static int64_t whole_rows_of(const gemm_run *run, int64_t row) {
    if (run->by_onednn) return GW_PANEL_ROWS;
    return gw_round_up(gw_round_up(rows_of(run, row), GW_DOT_ROWS), LINES);
}

static char *rows_at(int64_t piece, const char *scratch) {
    return (char *)scratch + piece * GW_PANEL_ROWS * GW_PANEL_DEPTH * SIZE;
}

// Rows of a that come side by side are not transposed but where oneDNN wants them so.
static bool is_panel(const gemm_run *run) {
    return run->args->transpose_a && !run->by_onednn;
}

static const float *rows_from(const gemm_run *run, int64_t row, int64_t piece) {
    const gw_gemm_args *args = run->args;
    const int64_t depth = (run->first_piece + piece) * GW_PANEL_DEPTH;
    return args->a + (args->transpose_a ? depth * args->a_stride + row : row * args->a_stride + depth);
}

// `count` rows of the tile from `first` on, of one piece.
static void pack_some(const gemm_run *run, int64_t row, int64_t first, int64_t count, int64_t piece, bool sums,
                      char *scratch) {
    const gw_gemm_args *args = run->args;
    run->parts->pack(&(gw_operand){
        .from = rows_from(run, row + first, piece),
        .stride = args->a_stride,
        .lines_adjacent = args->transpose_a,
        .lines = rows_of(run, row) - first,
        .depth = depth_of(run, piece),
        .whole_lines = count,
        .whole_depth = whole_depth_of(run, piece),
        .panel = is_panel(run),
        .function = args->of_a,
        .to = (uint32_t *)rows_at(piece, scratch) + first * whole_depth_of(run, piece) / 2,
        .sum = sums ? args->a_sum + row + first : NULL,
    });
}

// Rows that lie in memory as they are packed are taken one by one, all pieces of each, since memory is fastest where it
// is read in its order.
static void pack_rows(const gemm_run *run, int64_t row, bool sums, char *scratch) {
    const int64_t rows = whole_rows_of(run, row), step = run->args->transpose_a ? rows : 1;
    for (int64_t first = 0; first < rows; first += step)
        for (int64_t piece = 0; piece < run->pieces; piece++) pack_some(run, row, first, step, piece, sums, scratch);
}

static dnnl_status_t make_tile(const gemm_run *run, int64_t chunk, char *scratch) {
    gw_panel_shape shape = {.columns = gw_round_up(columns_of(run, chunk), GW_PANEL_COLUMNS_STEP)};
    char *tile = scratch + run->cuts.a;
    for (int64_t piece = 0; piece < run->pieces; piece++) {
        const gw_product *product;
        shape.depth = whole_depth_of(run, piece);
        shape.adds = piece > 0;
        dnnl_status_t status = gw_panel_product(&shape, &product);
        if (status == dnnl_success)
            status = gw_product_run(product, rows_at(piece, scratch), unit_of(run, chunk, piece), (float *)tile,
                                    tile + run->cuts.tile);
        if (status != dnnl_success) return status;
    }
    return dnnl_success;
}

static void multiply(gemm_run *run, int64_t row, int64_t chunk, char *scratch) {
    const gw_gemm_args *args = run->args;
    const int64_t column = (run->first_chunk + chunk) * run->cuts.columns, columns = columns_of(run, chunk);
    const bool first = run->first_piece == 0;
    const dnnl_status_t status = make_tile(run, chunk, scratch);
    if (status != dnnl_success) atomic_store(&run->status, (int)status);
    run->parts->finish(args->c + row * args->c_stride + column, args->c_stride, (const float *)(scratch + run->cuts.a),
                       gw_round_up(columns, GW_PANEL_COLUMNS_STEP), rows_of(run, row), columns,
                       args->bias && first ? args->bias + column : NULL, args->accumulate || !first);
}

// One panel of b after the other, since it is what moves most; the tile's columns of c stay in the cache meanwhile.
static void dot_panels(const gemm_run *run, int64_t row, int64_t chunk, const char *packed) {
    const gw_gemm_args *args = run->args;
    const bool panel = is_panel(run);
    gw_dot dot = {.rows = rows_of(run, row), .c_stride = args->c_stride};
    for (int64_t column = 0; column < columns_of(run, chunk); column += GW_PANEL)
        for (int64_t piece = 0; piece < run->pieces; piece++) {
            const int64_t place = (run->first_chunk + chunk) * run->cuts.columns + column;
            const bool first = run->first_piece + piece == 0;
            dot.columns = least(columns_of(run, chunk) - column, GW_PANEL);
            dot.words = whole_depth_of(run, piece) / 2;
            dot.a = (const uint32_t *)rows_at(piece, packed);
            dot.row = panel ? 1 : dot.words;
            dot.word = panel ? whole_rows_of(run, row) : 1;
            dot.b = (const uint32_t *)unit_of(run, chunk, piece) + column * dot.words;
            dot.bias = args->bias && first ? args->bias + place : NULL;
            dot.add = args->accumulate || !first;
            dot.c = args->c + row * args->c_stride + place;
            run->parts->dot(&dot);
        }
}

// Items are tiles of c, those of the same rows side by side. Rows are packed for the first chunk of all once, by
// whoever takes it, and for others where another thread took the ones before: the first sums them.
static void take_tiles(void *context, int64_t begin, int64_t end, int thread) {
    gemm_run *run = context;
    char *scratch = run->scratch + run->cuts.b + thread * thread_bytes(&run->cuts);
    int64_t packed = -1;
    for (int64_t item = begin; item < end; item++) {
        const int64_t row = item / run->chunks * run->rows, chunk = item % run->chunks;
        const bool sums = run->args->a_sum && run->first_chunk + chunk == 0;
        if (row != packed) pack_rows(run, row, sums, scratch);
        packed = row;
        if (run->by_onednn) multiply(run, row, chunk, scratch);
        else dot_panels(run, row, chunk, scratch);
    }
}

// Rows of a tile, so that the threads' shares are as good as equal; a tile costs about a strip more than its strips.
static int64_t rows_for(int64_t m, int threads) {
    enum { MOST = GW_PANEL_ROWS / GW_DOT_ROWS, LEAST = MOST / 2 };
    const int64_t strips = gw_divide_up(m, GW_DOT_ROWS);
    int64_t best = MOST, least_cost = INT64_MAX;
    for (int64_t height = MOST; height >= LEAST; height--) {
        const int64_t cost = gw_divide_up(gw_divide_up(strips, height), threads) * (height + 1);
        if (cost >= least_cost) continue;
        least_cost = cost;
        best = height;
    }
    return best * GW_DOT_ROWS;
}

static void take_slab(gemm_run *run) {
    const int64_t heights = gw_divide_up(run->args->m, run->rows), tiles = heights * run->chunks;
    const int threads = gw_threads();
    const int64_t grain = heights >= (int64_t)TILES_A_THREAD * threads ? run->chunks : 1;
    gw_parallel_for(run->pieces * run->chunks * (run->cuts.columns / GW_PANEL), 1, pack_panels, run);
    if (tiles <= grain) gw_set_threads(1); // outside a parallel region oneDNN would use all of them
    gw_parallel_for(tiles, grain, take_tiles, run);
    if (tiles <= grain) gw_set_threads(threads);
}

gw_status gw_gemm_packed(const gw_gemm_args *args, const gw_gemm_parts *parts) {
    if (args->m <= 0 || args->n <= 0) return GW_OK;
    gemm_run run = {.args = args, .parts = parts, .cuts = cut(args->n, args->k)};
    const gemm_cuts *cuts = &run.cuts;
    run.by_onednn = !parts->dot || gw_onednn_has(dnnl_cpu_isa_avx512_core_amx);
    run.rows = run.by_onednn ? GW_PANEL_ROWS : rows_for(args->m, gw_threads());
    run.scratch = (char *)gw_round_up((int64_t)(uintptr_t)args->scratch, ALIGNMENT);
    atomic_init(&run.status, dnnl_success);
    for (; run.first_chunk < cuts->chunks; run.first_chunk += cuts->slab_chunks) {
        run.chunks = least(cuts->chunks - run.first_chunk, cuts->slab_chunks);
        for (run.first_piece = 0; run.first_piece < cuts->pieces; run.first_piece += cuts->slab_pieces) {
            run.pieces = least(cuts->pieces - run.first_piece, cuts->slab_pieces);
            take_slab(&run);
        }
    }
    const int status = atomic_load(&run.status);
    if (status == dnnl_success) return GW_OK;
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_UNSUPPORTED,
                   "oneDNN refuses a product of %lld x %lld x %lld (status %d)", (long long)args->m, (long long)args->n,
                   (long long)args->k, status);
}
