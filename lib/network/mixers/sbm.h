// SPDX-License-Identifier: MIT
// Training settings of a model that samples its graphs (docs/background/sbm.md), and their options.
#ifndef GW_NETWORK_MIXERS_SBM_H
#define GW_NETWORK_MIXERS_SBM_H

#include "base/option.h"

// exploration: added to the probability of each edge. weight: price of the density of the graphs, averaged over layers,
// heads and the sequences of a step. The density is that of the drawn edges, or with `expected` of their probabilities.
// gradient: probabilities learn by equation 9 (SCORE), or by the gradient of a mask that multiplies e^score (MASK).
typedef enum { GW_EDGES_LEARN_BY_SCORE, GW_EDGES_LEARN_BY_MASK } gw_edge_gradient;
typedef struct {
    double exploration, weight;
    bool expected;
    gw_edge_gradient gradient;
} gw_sbm_learning;

#define GW_SBM_LEARNING_DEFAULTS                                                                                       \
    { .exploration = 0.01 }

#define GW_OPTION_ROW_OF_SBM(kind, name, value_name, offset, field, help, ...)                                         \
    { kind, 0, name, value_name, (offset) + offsetof(gw_sbm_learning, field), help, __VA_ARGS__ }

#define GW_OPTION_ROWS_SBM(offset, kinds)                                                                              \
    {GW_OPTION_GROUP, .help = "Sampled graphs (-p sbm)"},                                                              \
        GW_OPTION_ROW_OF_SBM(GW_OPTION_REAL, "density-weight", "L", offset, weight,                                    \
                             "price in the loss of the mean density of the graphs (negative: pay)", .min = -1e9,       \
                             .max = 1e9, .of = (kinds)),                                                               \
        GW_OPTION_ROW_OF_SBM(GW_OPTION_FLAG, "expected-density", NULL, offset, expected,                               \
                             "the price is of the edges' probabilities, not of those that were drawn", .of = (kinds)), \
        GW_OPTION_ROW_OF_SBM(GW_OPTION_REAL, "exploration", "P", offset, exploration,                                  \
                             "added to the probability of each edge", .max = 1, .of = (kinds)),                        \
        GW_OPTION_ROW_OF_SBM(GW_OPTION_NAMED, "edge-gradient", "WHICH", offset, gradient,                              \
                             "what probabilities learn by: the gradient of the edge's score times the score, as "      \
                             "the paper has it, or that of a mask beside the softmax's terms",                         \
                             .choices = "score|mask", .of = (kinds))

#endif
