// SPDX-License-Identifier: MIT
// godwit's own attention, for one head of one sequence.
#ifndef GW_THEORY_PRODUCT_H
#define GW_THEORY_PRODUCT_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdint.h>

// out[i] = sum_j softmax_j(scale q_i . k_j) v_j over the keys that the graph lets query i read, by godwit's f32
// kernel. query [queries][width], key and value [keys][width], out [queries][width]. graph NULL: every key.
gw_status gw_product_attention(const gw_graph *graph, int64_t queries, int64_t keys, int width, float scale,
                               const float *query, const float *key, const float *value, float *out) GW_MUST_CHECK;

#endif
