// SPDX-License-Identifier: MIT
// Block lists: growing arrays of listed blocks, the ends of their rows, and bits.
#include "graph/lists.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_block_lists_put(gw_block_lists *lists, int64_t block, int64_t reads) {
    GW_TRY(gw_reserve(&lists->listed, &lists->capacity, lists->count + 1, sizeof *lists->listed));
    lists->listed[lists->count++] = (gw_listed_block){(int32_t)block, (int32_t)reads};
    return GW_OK;
}

gw_status gw_block_lists_end_row(gw_block_lists *lists) {
    GW_TRY(gw_reserve(&lists->row_end, &lists->row_capacity, lists->rows + 1, sizeof *lists->row_end));
    lists->row_end[lists->rows++] = lists->count;
    return GW_OK;
}

gw_status gw_block_lists_add(gw_block_lists *lists, const int32_t *row, int64_t count) {
    for (int64_t k = 0; k < count; k++) GW_TRY(gw_block_lists_put(lists, row[k], GW_READS_ALL));
    return gw_block_lists_end_row(lists);
}

gw_status gw_block_lists_bits(gw_block_lists *lists, int64_t *index) {
    const int64_t words = gw_graph_words(lists->block);
    GW_TRY(gw_reserve(&lists->bits, &lists->bit_capacity, (lists->bit_cells + 1) * words, sizeof *lists->bits));
    memset(lists->bits + lists->bit_cells * words, 0, (size_t)words * sizeof *lists->bits);
    *index = lists->bit_cells++;
    return GW_OK;
}

void gw_block_lists_set(gw_block_lists *lists, int64_t index, int64_t i, int64_t j) {
    const int64_t bit = i * lists->block + j;
    lists->bits[index * gw_graph_words(lists->block) + bit / 64] |= 1ull << bit % 64;
}

void gw_block_lists_free(gw_block_lists *lists) {
    free(lists->row_end);
    free(lists->listed);
    free(lists->bits);
    *lists = (gw_block_lists){0};
}
