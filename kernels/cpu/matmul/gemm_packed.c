// SPDX-License-Identifier: MIT
// In BLIS's terms: n is divided into blocks of up to 768 columns (nc), k into blocks of up to 768 (kc), m into tiles of
// up to 96 rows (mc). First, as many blocks of b as the scratch memory holds are packed in micro-panels of 64 columns
// (nr). Then threads take tiles of c in turn: they pack rows of a, and the macro-kernel multiplies the packed blocks in
// order. oneDNN multiplies into a tile in the cache, which is then written or added to c.
//
//            n ->                        packed blocks of b
//          +-----------+-----------+
//      k   | n_block 0 | n_block 1 |     k_block 0     The cuts depend on M, N and K alone, and a tile sums its
//      k_blocks
//          +-----------+-----------+                   in order: results have the same bits for any number of threads.
//          |           |           |     k_block 1
//          +-----------+-----------+
#include "kernels/cpu/matmul/gemm_packed.h"

#include "base/parallel.h"
#include "kernels/cpu/matmul/block_product.h"
#include "kernels/cpu/matmul/packed_onednn.h"

#include <stdatomic.h>

// Up to PACKED_BLOCKS blocks of b (kc x nc) are packed at once, of WIDE n_blocks at least where there are so many.
enum { PACKED_BLOCKS = 8, WIDE = 4, TILES_A_THREAD = 4 };
// Bytes; SIZE of a packed number. Lines of an operand come in so many.
enum { ALIGNMENT = 64, SIZE = 2, LINES = 16 };

typedef struct {
    int64_t columns, n_blocks, k_blocks;      // columns of an n_block but the last
    int64_t packed_n_blocks, packed_k_blocks; // at once
    int64_t a, tile, b; // bytes of the packed rows and the tile of a thread, and of the packed blocks of b
} gemm_cuts;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static gemm_cuts cut(int64_t n, int64_t k) {
    gemm_cuts cuts;
    cuts.columns = gw_round_up(gw_divide_up(n, gw_divide_up(n, GW_NC)), GW_NR);
    cuts.n_blocks = gw_divide_up(n, cuts.columns);
    cuts.k_blocks = gw_divide_up(k > 0 ? k : 1, GW_KC);
    cuts.packed_k_blocks = least(cuts.k_blocks, PACKED_BLOCKS / least(cuts.n_blocks, WIDE));
    cuts.packed_n_blocks = least(cuts.n_blocks, PACKED_BLOCKS / cuts.packed_k_blocks);
    const int64_t depth = least(GW_KC, gw_round_up(k, GW_KC_STEP));
    cuts.a = GW_MC * depth * cuts.packed_k_blocks * SIZE;
    cuts.tile = GW_MC * cuts.columns * (int64_t)sizeof(float);
    cuts.b = least(PACKED_BLOCKS, cuts.n_blocks * cuts.k_blocks) * cuts.columns * depth * SIZE;
    return cuts;
}

static int64_t thread_bytes(const gemm_cuts *cuts) {
    return cuts->a + cuts->tile + GW_BLOCK_SCRATCH;
}

int64_t gw_gemm_packed_scratch(const gw_gemm_args *args) {
    const gemm_cuts cuts = cut(args->n, args->k);
    return (cuts.b + gw_threads() * thread_bytes(&cuts) + ALIGNMENT) / (int64_t)sizeof(float);
}

typedef struct {
    const gw_gemm_args *args;
    const gw_gemm_parts *parts;
    gemm_cuts cuts;
    bool by_onednn;                                           // who multiplies
    int64_t rows;                                             // of a tile
    char *scratch;                                            // the packed blocks of b, then the threads' own
    int64_t first_n_block, n_blocks, first_k_block, k_blocks; // packed now
    _Atomic int status;
} gemm_run;

static int64_t depth_of(const gemm_run *run, int64_t k_block) {
    return least(run->args->k - (run->first_k_block + k_block) * GW_KC, GW_KC);
}

static int64_t whole_depth_of(const gemm_run *run, int64_t k_block) {
    return gw_round_up(depth_of(run, k_block), GW_KC_STEP);
}

static int64_t columns_of(const gemm_run *run, int64_t n_block) {
    return least(run->args->n - (run->first_n_block + n_block) * run->cuts.columns, run->cuts.columns);
}

static char *block_of(const gemm_run *run, int64_t n_block, int64_t k_block) {
    const int64_t before = run->cuts.packed_n_blocks * run->cuts.columns * GW_KC * k_block;
    return run->scratch + (before + n_block * run->cuts.columns * whole_depth_of(run, k_block)) * SIZE;
}

// Items are micro-panels of a block of b.
static void pack_micro_panels(void *context, int64_t begin, int64_t end, int thread) {
    const gemm_run *run = context;
    const gw_gemm_args *args = run->args;
    const int64_t micro_panels = run->cuts.columns / GW_NR;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t column = item % micro_panels * GW_NR, n_block = item / micro_panels % run->n_blocks,
                      k_block = item / micro_panels / run->n_blocks;
        if (column >= columns_of(run, n_block)) continue;
        const int64_t depth = (run->first_k_block + k_block) * GW_KC, whole_depth = whole_depth_of(run, k_block);
        const int64_t line = (run->first_n_block + n_block) * run->cuts.columns + column;
        run->parts->pack(&(gw_operand){
            .from = args->b + (args->transpose_b ? line * args->b_stride + depth : depth * args->b_stride + line),
            .stride = args->b_stride,
            .lines_adjacent = !args->transpose_b,
            .lines = least(columns_of(run, n_block) - column, GW_NR),
            .depth = depth_of(run, k_block),
            .whole_lines = GW_NR,
            .whole_depth = whole_depth,
            .micro_panel = true,
            .squares = run->parts->squares,
            .function = args->of_b,
            .to = (uint32_t *)(block_of(run, n_block, k_block) + column * whole_depth * SIZE),
        });
    }
}

static int64_t rows_of(const gemm_run *run, int64_t row) {
    return least(run->args->m - row, run->rows);
}

static int64_t whole_rows_of(const gemm_run *run, int64_t row) {
    if (run->by_onednn) return GW_MC;
    return gw_round_up(run->parts->squares ? rows_of(run, row) : gw_round_up(rows_of(run, row), GW_MR), LINES);
}

static char *rows_at(int64_t k_block, const char *scratch) {
    return (char *)scratch + k_block * GW_MC * GW_KC * SIZE;
}

// Rows of a that come side by side are not transposed but where oneDNN or squares want them so.
static bool is_micro_panel(const gemm_run *run) {
    return run->args->transpose_a && !run->by_onednn && !run->parts->squares;
}

// Where a row of a tile begins, in words behind its first.
static int64_t place_of(const gemm_run *run, int64_t row, int64_t words) {
    return run->parts->squares ? row / GW_SQUARE * GW_SQUARE * words + row % GW_SQUARE * GW_SQUARE : row * words;
}

static const float *rows_from(const gemm_run *run, int64_t row, int64_t k_block) {
    const gw_gemm_args *args = run->args;
    const int64_t depth = (run->first_k_block + k_block) * GW_KC;
    return args->a + (args->transpose_a ? depth * args->a_stride + row : row * args->a_stride + depth);
}

// `count` rows of the tile from `first` on, of one k_block.
static void pack_some(const gemm_run *run, int64_t row, int64_t first, int64_t count, int64_t k_block, bool sums,
                      char *scratch) {
    const gw_gemm_args *args = run->args;
    run->parts->pack(&(gw_operand){
        .from = rows_from(run, row + first, k_block),
        .stride = args->a_stride,
        .lines_adjacent = args->transpose_a,
        .lines = rows_of(run, row) - first,
        .depth = depth_of(run, k_block),
        .whole_lines = count,
        .whole_depth = whole_depth_of(run, k_block),
        .micro_panel = is_micro_panel(run),
        .squares = run->parts->squares,
        .function = args->of_a,
        .to = (uint32_t *)rows_at(k_block, scratch) + place_of(run, first, whole_depth_of(run, k_block) / 2),
        .sum = sums ? args->a_sum + row + first : NULL,
    });
}

// Rows that lie in memory as they are packed are taken one by one, all k_blocks of each, since memory is fastest where
// it is read in its order.
static void pack_rows(const gemm_run *run, int64_t row, bool sums, char *scratch) {
    const int64_t rows = whole_rows_of(run, row), step = run->args->transpose_a ? rows : 1;
    for (int64_t first = 0; first < rows; first += step)
        for (int64_t k_block = 0; k_block < run->k_blocks; k_block++)
            pack_some(run, row, first, step, k_block, sums, scratch);
}

static dnnl_status_t make_tile(const gemm_run *run, int64_t n_block, char *scratch) {
    gw_block_shape shape = {.columns = gw_round_up(columns_of(run, n_block), GW_NR)};
    char *tile = scratch + run->cuts.a;
    for (int64_t k_block = 0; k_block < run->k_blocks; k_block++) {
        const gw_product *product;
        shape.depth = whole_depth_of(run, k_block);
        shape.adds = k_block > 0;
        dnnl_status_t status = gw_block_product(&shape, &product);
        if (status == dnnl_success)
            status = gw_product_run(product, rows_at(k_block, scratch), block_of(run, n_block, k_block), (float *)tile,
                                    tile + run->cuts.tile);
        if (status != dnnl_success) return status;
    }
    return dnnl_success;
}

static void multiply(gemm_run *run, int64_t row, int64_t n_block, char *scratch) {
    const gw_gemm_args *args = run->args;
    const int64_t column = (run->first_n_block + n_block) * run->cuts.columns, columns = columns_of(run, n_block);
    const bool first = run->first_k_block == 0;
    const dnnl_status_t status = make_tile(run, n_block, scratch);
    if (status != dnnl_success) atomic_store(&run->status, (int)status);
    run->parts->finish(args->c + row * args->c_stride + column, args->c_stride, (const float *)(scratch + run->cuts.a),
                       gw_round_up(columns, GW_NR), rows_of(run, row), columns,
                       args->bias && first ? args->bias + column : NULL, args->accumulate || !first);
}

// One micro-panel of b after the other, since it is what moves most; the tile's columns of c stay in the cache
// meanwhile.
static void macro_kernel(const gemm_run *run, int64_t row, int64_t n_block, const char *packed) {
    const gw_gemm_args *args = run->args;
    const bool micro_panel = is_micro_panel(run);
    gw_dot dot = {.rows = rows_of(run, row), .c_stride = args->c_stride};
    for (int64_t column = 0; column < columns_of(run, n_block); column += GW_NR)
        for (int64_t k_block = 0; k_block < run->k_blocks; k_block++) {
            const int64_t place = (run->first_n_block + n_block) * run->cuts.columns + column;
            const bool first = run->first_k_block + k_block == 0;
            dot.columns = least(columns_of(run, n_block) - column, GW_NR);
            dot.words = whole_depth_of(run, k_block) / 2;
            dot.a = (const uint32_t *)rows_at(k_block, packed);
            dot.row = micro_panel ? 1 : dot.words;
            dot.word = micro_panel ? whole_rows_of(run, row) : 1;
            dot.b = (const uint32_t *)block_of(run, n_block, k_block) + column * dot.words;
            dot.bias = args->bias && first ? args->bias + place : NULL;
            dot.add = args->accumulate || !first;
            dot.c = args->c + row * args->c_stride + place;
            run->parts->dot(&dot);
        }
}

// Items are tiles of c, those of the same rows side by side. Rows are packed for the first n_block of all once, by
// whoever takes it, and for others where another thread took the ones before: the first sums them.
static void take_tiles(void *context, int64_t begin, int64_t end, int thread) {
    gemm_run *run = context;
    char *scratch = run->scratch + run->cuts.b + thread * thread_bytes(&run->cuts);
    int64_t packed = -1;
    for (int64_t item = begin; item < end; item++) {
        const int64_t row = item / run->n_blocks * run->rows, n_block = item % run->n_blocks;
        const bool sums = run->args->a_sum && run->first_n_block + n_block == 0;
        if (row != packed) pack_rows(run, row, sums, scratch);
        packed = row;
        if (run->by_onednn) multiply(run, row, n_block, scratch);
        else macro_kernel(run, row, n_block, scratch);
    }
}

// Rows of a tile, so that the threads' shares are as good as equal; a tile costs about a
// micro-tile more than those it has side by side.
static int64_t rows_for(int64_t m, int64_t micro_rows, int threads) {
    const int64_t micro_tiles = gw_divide_up(m, micro_rows), most = GW_MC / micro_rows;
    int64_t best = most, least_cost = INT64_MAX;
    for (int64_t height = most; height >= most / 2; height--) {
        const int64_t cost = gw_divide_up(gw_divide_up(micro_tiles, height), threads) * (height + 1);
        if (cost >= least_cost) continue;
        least_cost = cost;
        best = height;
    }
    return best * micro_rows;
}

static void multiply_packed(gemm_run *run) {
    const int64_t heights = gw_divide_up(run->args->m, run->rows), tiles = heights * run->n_blocks;
    const int threads = gw_threads();
    const int64_t grain = heights >= (int64_t)TILES_A_THREAD * threads ? run->n_blocks : 1;
    gw_parallel_for(run->k_blocks * run->n_blocks * (run->cuts.columns / GW_NR), 1, pack_micro_panels, run);
    if (tiles <= grain) gw_set_threads(1); // outside a parallel region oneDNN would use all of them
    gw_parallel_for(tiles, grain, take_tiles, run);
    if (tiles <= grain) gw_set_threads(threads);
}

gw_status gw_gemm_packed(const gw_gemm_args *args, const gw_gemm_parts *parts) {
    if (args->m <= 0 || args->n <= 0) return GW_OK;
    gemm_run run = {.args = args, .parts = parts, .cuts = cut(args->n, args->k)};
    const gemm_cuts *cuts = &run.cuts;
    run.by_onednn = !parts->dot || (!parts->squares && gw_onednn_has(dnnl_cpu_isa_avx512_core_amx));
    run.rows = run.by_onednn ? GW_MC : rows_for(args->m, parts->squares ? 2 * GW_SQUARE : GW_MR, gw_threads());
    run.scratch = (char *)gw_round_up((int64_t)(uintptr_t)args->scratch, ALIGNMENT);
    atomic_init(&run.status, dnnl_success);
    for (; run.first_n_block < cuts->n_blocks; run.first_n_block += cuts->packed_n_blocks) {
        run.n_blocks = least(cuts->n_blocks - run.first_n_block, cuts->packed_n_blocks);
        for (run.first_k_block = 0; run.first_k_block < cuts->k_blocks; run.first_k_block += cuts->packed_k_blocks) {
            run.k_blocks = least(cuts->k_blocks - run.first_k_block, cuts->packed_k_blocks);
            multiply_packed(&run);
        }
    }
    const int status = atomic_load(&run.status);
    if (status == dnnl_success) return GW_OK;
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_UNSUPPORTED,
                   "oneDNN refuses a product of %lld x %lld x %lld (status %d)", (long long)args->m, (long long)args->n,
                   (long long)args->k, status);
}
