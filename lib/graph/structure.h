// SPDX-License-Identifier: MIT
// Graphs by structure: tokens that the input calls global are read by every query and read every key.
#ifndef GW_GRAPH_STRUCTURE_H
#define GW_GRAPH_STRUCTURE_H

#include "graph/build.h"
#include "graph/pattern.h"

// What it adds to the lists of a shape; nothing where shape->global is NULL. Free with gw_structure_free().
typedef struct {
    const gw_graph_shape *shape;
    int64_t *columns; // [key blocks] bits of its global keys; -1: it has none
} gw_structure;

gw_status gw_structure_make(const gw_graph_shape *shape, gw_block_lists *lists, gw_structure *out) GW_MUST_CHECK;
// Lists what it adds to the row that is open.
gw_status gw_structure_put(const gw_structure *structure, gw_block_lists *lists) GW_MUST_CHECK;
void gw_structure_free(gw_structure *structure);

#endif
