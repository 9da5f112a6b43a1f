// SPDX-License-Identifier: MIT
// What Nystroemformer's attention (Xiong et al., 2021) is made of beside softmax attention: landmarks, the product with
// a softmax's pseudo-inverse, and the skip connection of values.
#ifndef GW_NN_NYSTROM_H
#define GW_NN_NYSTROM_H

#include "nn/plan.h"

// in [rows of a stream][width] -> [rows of the stream `out`, at most as many of each sequence][width]: means of as many
// segments of the sequence.
gw_tensor gw_plan_segment_means(gw_plan *plan, gw_tensor in, int out);

// Of one stream, [rows][heads D]: softmax(q k^T / sqrt(D))^+ value, per head and sequence, the pseudo-inverse by six
// iterations.
gw_tensor gw_plan_landmark_product(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads);

// in [rows][heads D]; weight [heads][taps], taps odd: a filter along the sequence for each head.
gw_tensor gw_plan_head_convolution(gw_plan *plan, gw_tensor in, gw_weight weight, int heads, int taps);

#endif
