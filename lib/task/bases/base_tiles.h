// SPDX-License-Identifier: MIT
// A model's probabilities for every base of regions, on both strands.
#ifndef GW_TASK_BASES_BASE_TILES_H
#define GW_TASK_BASES_BASE_TILES_H

#include "network/base_network.h"
#include "task/windows/tracks.h"

enum { GW_BASE_STRANDS = 2 };

// Bases [first, first + count) of the tiles, from `begin` of a contig on: values[count][strands][classes].
typedef gw_status gw_base_tiles_sink(void *context, int contig, int64_t begin, int64_t first, int64_t count,
                                     const float *values);
// `tiles` are of a single base each; runs come in order.
gw_status gw_predict_bases(gw_model *model, gw_genome *genome, const gw_tiles *tiles, int64_t batch_tokens,
                           gw_base_tiles_sink *sink, void *context) GW_MUST_CHECK;

#endif
