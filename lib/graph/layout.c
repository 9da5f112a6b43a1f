// SPDX-License-Identifier: MIT
// A checkpoint's layout -> graphs: a set of blocks a row, nothing counted twice.
#include "graph/lists.h"
#include "graph/pattern.h"

typedef struct {
    const gw_layout *layout;
    const gw_pattern *pattern;
    const gw_graph_shape *shape;
    int layer, head;
} layout_head;

// The blocks that `row` of the layout reads, among the first `blocks`.
static gw_status put_row(const layout_head *h, int64_t row, int64_t blocks, gw_block_lists *lists) {
    const int64_t n = h->layout->blocks, before = lists->count;
    const uint8_t *cell = h->layout->cell + (((int64_t)h->layer * h->layout->heads + h->head) * n + row) * n;
    for (int64_t column = 0; column < blocks; column++)
        if (cell[column]) GW_TRY(gw_block_lists_put(lists, column, GW_READS_ALL));
    if (lists->count > before) return gw_block_lists_end_row(lists);
    return gw_fail(GW_ERR_FORMAT,
                   "the checkpoint's layout: layer %d, head %d: row %lld reads none of the first %lld blocks", h->layer,
                   h->head, (long long)row, (long long)blocks);
}

static gw_status build_head(const layout_head *h, gw_graph **out) {
    const int64_t blocks = gw_pattern_blocks(h->pattern, h->shape->keys), first = h->shape->offset / h->pattern->block;
    const int64_t end = first + gw_pattern_blocks(h->pattern, h->shape->queries);
    gw_block_lists lists = {
        .block = h->pattern->block, .blocks = blocks, .offset = h->shape->offset, .causal = h->pattern->causal};
    gw_status status = GW_OK;
    for (int64_t row = first; status == GW_OK && row < end; row++) status = put_row(h, row, blocks, &lists);
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_block_lists_free(&lists);
    return status;
}

gw_status gw_layout_layer(const gw_layout *layout, const gw_pattern *pattern, const gw_graph_shape *shape, int layer,
                          gw_graph **graphs) {
    const int64_t blocks = gw_pattern_blocks(pattern, shape->keys);
    if (blocks > layout->blocks)
        return gw_fail(GW_ERR_RANGE, "an input of %lld blocks of %d tokens; the checkpoint's layout has %d",
                       (long long)blocks, pattern->block, layout->blocks);
    if (shape->offset % pattern->block != 0 || shape->offset + shape->queries > shape->keys || shape->global)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "the checkpoint's layout: queries begin one of its blocks of %d tokens, stand among their keys "
                       "and have no global tokens; found %lld of %lld keys, from position %lld on",
                       pattern->block, (long long)shape->queries, (long long)shape->keys, (long long)shape->offset);
    gw_status status = GW_OK;
    int done = 0;
    while (status == GW_OK && done < layout->heads) {
        const layout_head head = {layout, pattern, shape, layer, done};
        status = build_head(&head, &graphs[done]);
        done += status == GW_OK;
    }
    while (status != GW_OK && done > 0) gw_graph_free(graphs[--done]);
    return status;
}
