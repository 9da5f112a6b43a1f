// SPDX-License-Identifier: MIT
// The random blocks of transformers' BigBird (modeling_big_bird.py, training mode).
#ifndef GW_GRAPH_HUGGINGFACE_H
#define GW_GRAPH_HUGGINGFACE_H

#include "base/status.h"

#include <stdint.h>

// What the tables of a layer depend on.
typedef struct {
    int block;             // tokens
    int blocks;            // of the padded input: more than 5 + 2 random
    int random;            // blocks a row
    int layer, heads;      // the layer is the seed
    int64_t max_positions; // of the model
} gw_huggingface_shape;

// table[heads][blocks - 2][random]: the random blocks of rows 1 .. blocks - 2; free() it.
// Fails where transformers itself would: an input longer than the model, or a row with too few candidates.
gw_status gw_huggingface_table(const gw_huggingface_shape *shape, int32_t **table) GW_MUST_CHECK;

#endif
