// SPDX-License-Identifier: MIT
// A checkpoint's layout -> graphs: a set of blocks a row, nothing counted twice.
#include "base/memory.h"
#include "graph/lists.h"
#include "graph/pattern.h"

#include <stdlib.h>

static gw_status build_head(const gw_layout *layout, int block, int64_t blocks, int layer, int head, int32_t *list,
                            gw_graph **out) {
    const int64_t n = layout->blocks;
    const uint8_t *cell = layout->cell + ((int64_t)layer * layout->heads + head) * n * n;
    gw_block_lists lists = {.blocks = blocks};
    gw_status status = GW_OK;
    for (int64_t row = 0; status == GW_OK && row < blocks; row++) {
        int64_t count = 0;
        for (int64_t column = 0; column < blocks; column++)
            if (cell[row * n + column]) list[count++] = (int32_t)column;
        if (count > 0) status = gw_block_lists_add(&lists, list, count);
        else
            status = gw_fail(GW_ERR_FORMAT,
                             "the checkpoint's layout: layer %d, head %d: row %lld reads none of the first %lld blocks",
                             layer, head, (long long)row, (long long)blocks);
    }
    if (status == GW_OK) status = gw_graph_build(block, &lists, out);
    gw_block_lists_free(&lists);
    return status;
}

gw_status gw_layout_layer(const gw_layout *layout, int block, int64_t blocks, int layer, gw_graph **graphs) {
    if (blocks > layout->blocks)
        return gw_fail(GW_ERR_RANGE, "an input of %lld blocks of %d tokens; the checkpoint's layout has %d",
                       (long long)blocks, block, layout->blocks);
    int32_t *list = gw_alloc(blocks, sizeof *list);
    gw_status status = list ? GW_OK : GW_ERR_MEMORY;
    int done = 0;
    while (status == GW_OK && done < layout->heads) {
        status = build_head(layout, block, blocks, layer, done, list, &graphs[done]);
        done += status == GW_OK;
    }
    free(list);
    while (status != GW_OK && done > 0) gw_graph_free(graphs[--done]);
    return status;
}
