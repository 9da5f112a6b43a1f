// SPDX-License-Identifier: MIT
// A tile is some rows of `in`. Its rows are prepared once (rounded, padded with zeros to the height of a product,
// passed through the feed-forward layer). Then its blocks are processed: the column blocks of each layer. A block's
// product goes to scratch memory and is then completed at its destination. Threads take whole tiles if there are
// enough; otherwise single blocks, if the blocks of a tile are independent. A single tile of several blocks is shared
// even if they are not: first the feed-forward layer's blocks, then those that read its result, then the norm.
#include "kernels/cpu/matmul/linear_onednn.h"

#include "base/parallel.h"
#include "kernels/cpu/matmul/packed_onednn.h"
#include "kernels/cpu/matmul/packed_squares.h"

#include <stdatomic.h>
#include <string.h>

// A thread's scratch, in bytes: a tile's rows as products read them, the feed-forward layer's result for them, a
// product, oneDNN's own.
typedef struct {
    int64_t rows, feed_forward, product, own, all;
} scratch_layout;

static int64_t size_of(const gw_packed *packed) {
    return packed->precision == GW_BF16 ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(float);
}

// Numbers of a row that a layer reads or, if it is a feed-forward one, makes for another.
static int64_t depth_of(const gw_packed *packed, int64_t numbers) {
    return packed->squares ? gw_squares_depth(numbers) : numbers;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void add_layer(scratch_layout *layout, const gw_packed *packed) {
    layout->product = larger(layout->product, GW_TILE_ROWS * packed->stride * (int64_t)sizeof(float));
    for (int width = 0; width < GW_BLOCK_WIDTHS; width++)
        for (int i = 0; i < packed->heights; i++) layout->own = larger(layout->own, packed->product[width][i].scratch);
}

// The layer that reads `in`.
static const gw_packed *first_of(const gw_linear_args *args) {
    return args->feed_forward.weight ? args->feed_forward.weight : args->layer[0].weight;
}

// Heights that all layers have.
static int heights_of(const gw_linear_args *args) {
    int least = args->feed_forward.weight ? args->feed_forward.weight->heights : GW_TILE_HEIGHTS;
    for (int i = 0; i < GW_LINEAR_OUTS && args->layer[i].weight; i++)
        least = args->layer[i].weight->heights < least ? args->layer[i].weight->heights : least;
    return least;
}

static scratch_layout layout_of(const gw_linear_args *args) {
    const gw_packed *first = first_of(args), *feed_forward = args->feed_forward.weight;
    scratch_layout layout = {
        .rows = gw_round_up(GW_TILE_ROWS * depth_of(first, first->k) * size_of(first), GW_PACKED_ALIGNMENT)};
    if (feed_forward) {
        const int64_t depth = depth_of(feed_forward, feed_forward->n);
        layout.feed_forward = gw_round_up(GW_TILE_ROWS * depth * size_of(feed_forward), GW_PACKED_ALIGNMENT);
        add_layer(&layout, feed_forward);
    }
    for (int i = 0; i < GW_LINEAR_OUTS && args->layer[i].weight; i++) add_layer(&layout, args->layer[i].weight);
    layout.product = gw_round_up(layout.product, GW_PACKED_ALIGNMENT);
    layout.own = gw_round_up(layout.own, GW_PACKED_ALIGNMENT);
    layout.all = layout.rows + layout.feed_forward + layout.product + layout.own;
    return layout;
}

int64_t gw_linear_scratch(const gw_linear_args *args) {
    return (gw_threads() * layout_of(args).all + GW_PACKED_ALIGNMENT) / (int64_t)sizeof(float);
}

// How the work is cut: tiles of so many rows, each of so many blocks, of which a thread takes `grain` at a time.
typedef struct {
    int heights;
    int64_t tile_rows, blocks, grain, count;
    bool shared; // a single tile, bound together
} linear_cut;

typedef struct {
    const gw_linear_args *args;
    const gw_linear_parts *parts;
    scratch_layout layout;
    linear_cut cut;
    char *scratch;
    _Atomic int status;
} linear_run;

typedef struct {
    int64_t row, rows;
    int height;          // index of its products
    const void *x;       // [height][K] what the layers read
    char *product, *own; // scratch
} linear_tile;

// The same in squares: a micro-panel's product of all rows at a time, finished while it lies in the first cache.
// Numbers past those of the layer are zeros.
static void multiply_squares(const linear_run *run, const linear_tile *tile, const uint32_t *x,
                             const gw_linear_layer *layer, int64_t n_block, const gw_linear_end *to) {
    const gw_packed *packed = layer->weight;
    const int64_t words = gw_squares_depth(packed->k) / 2, columns = gw_packed_columns(packed, n_block);
    gw_dot dot = {.rows = gw_packed_height(tile->height),
                  .columns = GW_NR,
                  .words = words,
                  .a = x,
                  .c = (float *)tile->product,
                  .c_stride = GW_NR};
    for (int64_t column = 0; column < columns; column += GW_NR) {
        gw_linear_end end = *to;
        dot.b = (const uint32_t *)(packed->weight + n_block * packed->block_bytes) + column * words;
        run->parts->dot(&dot);
        end.columns = columns - column < GW_NR ? columns - column : GW_NR;
        end.product = dot.c;
        end.bias = to->bias ? to->bias + column : NULL;
        end.residual = to->residual ? to->residual + column : NULL;
        if (end.out) end.out += column;
        if (end.bf16) end.bf16 += column * GW_SQUARE;
        run->parts->finish(&end);
    }
}

// The product of a block of a layer's columns, finished to where `end` says; made there already if all of it belongs
// there and its rows stand as far apart.
static dnnl_status_t multiply_block(const linear_run *run, const linear_tile *tile, const void *x,
                                    const gw_linear_layer *layer, int64_t n_block, gw_linear_end *end) {
    const gw_packed *packed = layer->weight;
    end->activation = layer->activation;
    end->bias = layer->bias ? layer->bias + n_block * packed->columns : NULL;
    end->product_stride = packed->stride;
    end->stride = packed->n;
    if (packed->squares) {
        if (end->squares) end->stride = gw_squares_depth(packed->n);
        multiply_squares(run, tile, x, layer, n_block, end);
        return dnnl_success;
    }
    const bool in_place = end->out && end->rows == gw_packed_height(tile->height) && packed->stride == packed->n;
    float *product = in_place ? end->out : (float *)tile->product;
    const dnnl_status_t status = gw_product_run(gw_packed_product(packed, n_block, tile->height), x,
                                                packed->weight + n_block * packed->block_bytes, product, tile->own);
    end->columns = gw_packed_columns(packed, n_block);
    end->product = product;
    run->parts->finish(end);
    return status;
}

// The tile's rows of `in`: in place, or as products need them in `copy`.
static const void *rows_of(const linear_run *run, const linear_tile *tile, char *copy) {
    const gw_packed *packed = first_of(run->args);
    const int64_t height = gw_packed_height(tile->height), count = tile->rows * packed->k;
    const float *in = run->args->in + tile->row * packed->k;
    if (packed->squares) {
        run->parts->pack(&(gw_operand){.from = in,
                                       .stride = packed->k,
                                       .lines = tile->rows,
                                       .depth = packed->k,
                                       .whole_lines = height,
                                       .whole_depth = gw_squares_depth(packed->k),
                                       .squares = true,
                                       .to = (uint32_t *)copy});
        return copy;
    }
    if (packed->precision == GW_F32 && tile->rows == height) return in;
    if (packed->precision == GW_F32) memcpy(copy, in, (size_t)count * sizeof *in);
    else run->parts->bf16((uint16_t *)copy, in, count);
    memset(copy + count * size_of(packed), 0, (size_t)((height * packed->k - count) * size_of(packed)));
    return copy;
}

// The feed-forward layer's result for all rows of the products, in the precision of the next ones, in blocks.
static char *feed_forward_memory(const linear_run *run, char *scratch) {
    const gw_packed *packed = run->args->feed_forward.weight;
    char *out = scratch + run->layout.rows;
    if (packed->squares && gw_squares_depth(packed->n) > packed->n)
        memset(out, 0, (size_t)(GW_TILE_ROWS * gw_squares_depth(packed->n) * size_of(packed)));
    return out;
}

static dnnl_status_t take_feed_forward(const linear_run *run, const linear_tile *tile, int64_t n_block, char *out) {
    const gw_linear_layer *feed_forward = &run->args->feed_forward;
    const gw_packed *packed = feed_forward->weight;
    const int64_t first = n_block * packed->columns;
    gw_linear_end end = {.rows = gw_packed_height(tile->height), .squares = packed->squares};
    if (packed->precision == GW_BF16) end.bf16 = (uint16_t *)out + first * (packed->squares ? GW_SQUARE : 1);
    else end.out = (float *)out + first;
    return multiply_block(run, tile, tile->x, feed_forward, n_block, &end);
}

static char *scratch_of(const linear_run *run, int thread) {
    return run->scratch + thread * run->layout.all;
}

static void use_scratch(const linear_run *run, int thread, linear_tile *tile) {
    tile->product = scratch_of(run, thread) + run->layout.rows + run->layout.feed_forward;
    tile->own = tile->product + run->layout.product;
}

static void begin_tile(const linear_run *run, int64_t index, int thread, linear_tile *tile) {
    const int64_t left = run->args->rows - index * run->cut.tile_rows;
    *tile =
        (linear_tile){.row = index * run->cut.tile_rows, .rows = left < run->cut.tile_rows ? left : run->cut.tile_rows};
    while (tile->height + 1 < run->cut.heights && gw_packed_height(tile->height + 1) >= tile->rows) tile->height++;
    use_scratch(run, thread, tile);
    tile->x = rows_of(run, tile, scratch_of(run, thread));
}

static dnnl_status_t take_block(const linear_run *run, const linear_tile *tile, int64_t block) {
    const gw_linear_args *args = run->args;
    int i = 0;
    for (; block >= args->layer[i].weight->n_blocks; i++) block -= args->layer[i].weight->n_blocks;
    const gw_packed *packed = args->layer[i].weight;
    const int64_t first = tile->row * packed->n + block * packed->columns;
    gw_linear_end end = {
        .rows = tile->rows, .out = args->out[i] + first, .residual = args->residual ? args->residual + first : NULL};
    return multiply_block(run, tile, tile->x, &args->layer[i], block, &end);
}

static void end_tile(const linear_run *run, const linear_tile *tile) {
    if (run->args->norm_weight) run->parts->norm(run->args, tile->row, tile->rows, run->args->layer[0].weight->n);
}

static dnnl_status_t take_whole_feed_forward(const linear_run *run, linear_tile *tile, int thread) {
    const gw_packed *packed = run->args->feed_forward.weight;
    if (!packed) return dnnl_success;
    char *out = feed_forward_memory(run, scratch_of(run, thread));
    dnnl_status_t status = dnnl_success;
    for (int64_t n_block = 0; status == dnnl_success && n_block < packed->n_blocks; n_block++)
        status = take_feed_forward(run, tile, n_block, out);
    tile->x = out;
    return status;
}

static void each_block(void *context, int64_t begin, int64_t end, int thread) {
    linear_run *run = context;
    const int64_t blocks = run->cut.blocks;
    linear_tile tile;
    dnnl_status_t status = dnnl_success;
    for (int64_t item = begin; status == dnnl_success && item < end; item++) {
        if (item == begin || item % blocks == 0) {
            begin_tile(run, item / blocks, thread, &tile);
            status = take_whole_feed_forward(run, &tile, thread);
        }
        if (status == dnnl_success) status = take_block(run, &tile, item % blocks);
        if ((item + 1) % blocks == 0) end_tile(run, &tile);
    }
    if (status != dnnl_success) atomic_store(&run->status, (int)status);
}

// ---- a single tile

typedef struct {
    linear_run *run;
    const linear_tile *tile;
    char *feed_forward; // NULL: it is there already
} shared_tile;

static void each_shared_block(void *context, int64_t begin, int64_t end, int thread) {
    const shared_tile *shared = context;
    linear_tile tile = *shared->tile;
    use_scratch(shared->run, thread, &tile);
    for (int64_t block = begin; block < end; block++) {
        const dnnl_status_t status = shared->feed_forward
                                         ? take_feed_forward(shared->run, &tile, block, shared->feed_forward)
                                         : take_block(shared->run, &tile, block);
        if (status != dnnl_success) atomic_store(&shared->run->status, (int)status);
    }
}

static void share_tile(linear_run *run) {
    const gw_packed *packed = run->args->feed_forward.weight;
    linear_tile tile;
    begin_tile(run, 0, 0, &tile);
    if (packed) {
        char *out = feed_forward_memory(run, run->scratch);
        gw_parallel_for(packed->n_blocks, 1, each_shared_block, &(shared_tile){run, &tile, out});
        tile.x = out;
    }
    gw_parallel_for(run->cut.blocks, 1, each_shared_block, &(shared_tile){run, &tile, NULL});
    end_tile(run, &tile);
}

// Tiles of the height whose turns on these threads cost least; a product of h rows costs as h + OVERHEAD.
enum { OVERHEAD = 8, TILES_EACH = 4 };

// Of single blocks oneDNN would use all threads itself.
static bool can_be_shared(const gw_linear_args *args, int64_t blocks) {
    return blocks > 1 && (!args->feed_forward.weight || args->feed_forward.weight->n_blocks > 1);
}

static linear_cut cut_of(const gw_linear_args *args, int64_t threads) {
    const bool bound = args->feed_forward.weight || args->norm_weight;
    linear_cut cut = {.heights = heights_of(args)};
    for (int i = 0; i < GW_LINEAR_OUTS && args->layer[i].weight; i++) cut.blocks += args->layer[i].weight->n_blocks;
    int64_t least = INT64_MAX;
    for (int i = 0; i < cut.heights; i++) {
        const int64_t tiles = gw_divide_up(args->rows, gw_packed_height(i));
        const bool shared = bound && tiles == 1 && threads > 1 && can_be_shared(args, cut.blocks);
        const bool whole = !shared && (bound || tiles >= TILES_EACH * threads);
        const int64_t turns = gw_divide_up(whole ? tiles : tiles * cut.blocks, threads) * (whole ? cut.blocks : 1);
        const int64_t cost = turns * (gw_packed_height(i) + OVERHEAD);
        if (cost >= least) continue;
        least = cost;
        cut.tile_rows = gw_packed_height(i);
        cut.grain = whole ? cut.blocks : 1;
        cut.count = tiles * cut.blocks;
        cut.shared = shared;
    }
    return cut;
}

gw_status gw_linear_onednn(const gw_linear_args *args, const gw_linear_parts *parts) {
    if (args->rows <= 0) return GW_OK;
    const int threads = gw_threads();
    linear_run run = {.args = args, .parts = parts, .layout = layout_of(args), .status = dnnl_success};
    run.cut = cut_of(args, threads);
    run.scratch = (char *)gw_round_up((int64_t)(uintptr_t)args->scratch, GW_PACKED_ALIGNMENT);
    const bool alone = run.cut.count == run.cut.grain; // outside a parallel region oneDNN would use all threads
    if (alone) gw_set_threads(1);
    if (run.cut.shared) share_tile(&run);
    else gw_parallel_for(run.cut.count, run.cut.grain, each_block, &run);
    if (alone) gw_set_threads(threads);
    const int status = atomic_load(&run.status);
    return status == dnnl_success ? GW_OK : gw_packed_refuse(first_of(args), args->rows, status);
}
