// SPDX-License-Identifier: MIT
// A model's convolutional stem, as a part of its description.
#ifndef GW_MODEL_STEM_H
#define GW_MODEL_STEM_H

#include "model/builder.h"

// Describes the parts [begin, end) of the config's stem. `skips` holds the inputs of the poolings by level, and at 0
// the sum of skips.
gw_tensor gw_describe_stem(gw_builder *b, int begin, int end, gw_tensor x, gw_tensor skips[GW_STEM_LEVELS]);

#endif
