// SPDX-License-Identifier: MIT
// Options of the commands that train models which sample their graphs (docs/sbm.md).
#ifndef GW_TOOLS_DENSITY_H
#define GW_TOOLS_DENSITY_H

#include "network/network.h"

#include <stddef.h>

#define GW_DENSITY_DEFAULTS                                                                                            \
    { .exploration = 0.01 }

#define GW_OPTION_ROW_OF_DENSITY(kind, name, value_name, offset, field, help, ...)                                     \
    { kind, 0, name, value_name, (offset) + offsetof(gw_network_density, field), help, __VA_ARGS__ }

// The rows of a gw_network_density at `offset` of the command's struct, and of which kinds of work they are.
#define GW_OPTION_ROWS_DENSITY(offset, kinds)                                                                          \
    {GW_OPTION_GROUP, .help = "Sampled graphs (-p sbm)"},                                                              \
        GW_OPTION_ROW_OF_DENSITY(GW_OPTION_REAL, "density-weight", "L", offset, weight,                                \
                                 "price in the loss of the mean density of the graphs (negative: pay)", .min = -1e9,   \
                                 .max = 1e9, .of = (kinds)),                                                           \
        GW_OPTION_ROW_OF_DENSITY(GW_OPTION_FLAG, "expected-density", NULL, offset, expected,                           \
                                 "the price is of the edges' probabilities, not of those that were drawn",             \
                                 .of = (kinds)),                                                                       \
        GW_OPTION_ROW_OF_DENSITY(GW_OPTION_REAL, "exploration", "P", offset, exploration,                              \
                                 "added to the probability of each edge", .max = 1, .of = (kinds)),                    \
        GW_OPTION_ROW_OF_DENSITY(GW_OPTION_NAMED, "edge-gradient", "WHICH", offset, gradient,                          \
                                 "what probabilities learn by: the gradient of the edge's score times the score, as "  \
                                 "the paper has it, or that of a mask beside the softmax's terms",                     \
                                 .choices = GW_EDGE_GRADIENTS, .of = (kinds))

#endif
