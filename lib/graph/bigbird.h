// SPDX-License-Identifier: MIT
// The random blocks of BigBird's two implementations: transformers' modeling_big_bird.py in training mode, and
// google-research/bigbird, core/attention.py.
#ifndef GW_GRAPH_BIGBIRD_H
#define GW_GRAPH_BIGBIRD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// What the tables of a layer depend on.
typedef struct {
    int block;             // tokens
    int blocks;            // of the padded input
    int random;            // blocks a row
    int layer, heads;      // the layer is the seed
    int64_t max_positions; // of the model
    bool google;           // google-research/bigbird's tables
} gw_bigbird_shape;

// Fails where neither implementation computes anything: no random blocks, or an input longer than the model.
gw_status gw_bigbird_check(const gw_bigbird_shape *shape) GW_MUST_CHECK;

// table[heads][blocks - 2][random]: the random blocks of rows 1 .. blocks - 2; free() it.
// Fails where the implementation itself would: gw_bigbird_check(), too few blocks for its rows, a row with too few
// candidates, a block past the end of the input.
gw_status gw_bigbird_table(const gw_bigbird_shape *shape, int32_t **table) GW_MUST_CHECK;

#endif
