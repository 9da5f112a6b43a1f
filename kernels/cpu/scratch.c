// SPDX-License-Identifier: MIT
// Sizes of the scratch memory that callers own.
#include "kernels/cpu/attention_parts.h"
#include "kernels/cpu/attention_work.h"
#include "kernels/cpu/layer_norm.h"
#include "kernels/kernel.h"

int64_t gw_layer_norm_scratch(int64_t width) {
    return GW_LAYER_NORM_PARTS * 2 * width;
}

int64_t gw_attention_scratch(int threads, int block, int head_size) {
    return threads * gw_attention_thread_scratch(block, head_size) + GW_ATTENTION_ALIGNMENT;
}

int64_t gw_attention_partial(int64_t query_rows, int heads, int head_size) {
    return query_rows * heads * gw_attention_most_parts(heads) * gw_attention_width(head_size);
}

// Forward: keys as pairs along the head, values as pairs of rows, where an odd last row of a block takes a whole row's
// room. Backward: queries and gradients as pairs along the head and as pairs of rows.
int64_t gw_attention_bf16(int64_t query_rows, int64_t key_rows, int heads, int head_size) {
    const int64_t pairs = (head_size + 1) / 2, forward = key_rows * (pairs + head_size),
                  backward = query_rows * 2 * (pairs + head_size);
    return heads * (forward > backward ? forward : backward);
}
