// SPDX-License-Identifier: MIT
// Packs weights as bf16 squares, and multiplies with them.
#include "kernels/cpu/matmul/packed_squares.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/cpu/matmul/packed_onednn.h"

typedef struct {
    const gw_packed *packed;
    const float *weight;
    void (*pack)(const gw_operand *operand);
} packing;

static void pack_blocks(void *context, int64_t begin, int64_t end, int thread) {
    const packing *work = context;
    const gw_packed *packed = work->packed;
    (void)thread;
    for (int64_t n_block = begin; n_block < end; n_block++) {
        const int64_t columns = gw_packed_columns(packed, n_block);
        work->pack(&(gw_operand){.from = work->weight + n_block * packed->columns * packed->k,
                                 .stride = packed->k,
                                 .lines = columns,
                                 .depth = packed->k,
                                 .whole_lines = gw_round_up(columns, GW_NR),
                                 .whole_depth = gw_squares_depth(packed->k),
                                 .micro_panel = true,
                                 .squares = true,
                                 .to = (uint32_t *)(packed->weight + n_block * packed->block_bytes)});
    }
}

gw_status gw_packed_new_squares(const float *weight, int64_t n, int64_t k, void (*pack)(const gw_operand *operand),
                                gw_packed **out) {
    *out = NULL;
    gw_packed *packed = gw_alloc(1, sizeof *packed);
    if (!packed) return GW_ERR_MEMORY;
    const int64_t n_blocks = gw_divide_up(n, GW_NC);
    const int64_t columns = gw_round_up(gw_divide_up(n, n_blocks), GW_NR);
    *packed = (gw_packed){.precision = GW_BF16,
                          .squares = true,
                          .n = n,
                          .k = k,
                          .columns = columns < n ? columns : n,
                          .n_blocks = gw_divide_up(n, columns),
                          .stride = GW_NR,
                          .heights = GW_SQUARES_HEIGHTS,
                          .block_bytes = columns * gw_squares_depth(k) * (int64_t)sizeof(uint16_t)};
    packed->weight = gw_alloc_aligned(packed->block_bytes * packed->n_blocks);
    if (!packed->weight) {
        gw_packed_free(packed);
        return GW_ERR_MEMORY;
    }
    gw_parallel_for(packed->n_blocks, 1, pack_blocks, &(packing){packed, weight, pack});
    *out = packed;
    return GW_OK;
}
