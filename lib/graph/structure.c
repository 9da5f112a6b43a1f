// SPDX-License-Identifier: MIT
// Global tokens as bits: those of a block of keys are the same in every row, those of a block of queries in every
// column.
#include "graph/structure.h"

#include "base/memory.h"

#include <stdlib.h>

// Bits of a block whose tokens begin at position `first`: its global queries read every key or, by_key, every query
// reads its global keys. -1 where it has none.
static gw_status make_bits(const gw_graph_shape *shape, gw_block_lists *lists, int64_t first, bool by_key,
                           int64_t *index) {
    const int64_t block = lists->block;
    *index = -1;
    for (int64_t t = 0; t < block && first + t < shape->flags; t++) {
        if (!shape->global[first + t]) continue;
        if (*index < 0) GW_TRY(gw_block_lists_bits(lists, index));
        for (int64_t other = 0; other < block; other++)
            gw_block_lists_set(lists, *index, by_key ? other : t, by_key ? t : other);
    }
    return GW_OK;
}

gw_status gw_structure_make(const gw_graph_shape *shape, gw_block_lists *lists, gw_structure *out) {
    *out = (gw_structure){.shape = shape};
    if (!shape->global) return GW_OK;
    out->columns = gw_alloc(lists->blocks, sizeof *out->columns);
    gw_status status = out->columns ? GW_OK : GW_ERR_MEMORY;
    for (int64_t c = 0; status == GW_OK && c < lists->blocks; c++)
        status = make_bits(shape, lists, c * lists->block, true, &out->columns[c]);
    return status;
}

gw_status gw_structure_put(const gw_structure *structure, gw_block_lists *lists) {
    const gw_graph_shape *shape = structure->shape;
    if (!shape->global) return GW_OK;
    int64_t row;
    GW_TRY(make_bits(shape, lists, shape->offset + lists->rows * lists->block, false, &row));
    for (int64_t c = 0; c < lists->blocks; c++) {
        if (structure->columns[c] >= 0) GW_TRY(gw_block_lists_put(lists, c, structure->columns[c]));
        if (row >= 0) GW_TRY(gw_block_lists_put(lists, c, row));
    }
    return GW_OK;
}

void gw_structure_free(gw_structure *structure) {
    free(structure->columns);
}
