// SPDX-License-Identifier: MIT
// Options of the commands that train models which sample their graphs (docs/sbm.md).
#ifndef GW_TOOLS_DENSITY_H
#define GW_TOOLS_DENSITY_H

#include "network/network.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    const char *gradient;
    double weight, exploration;
    bool expected;
} gw_density_arguments;

#define GW_DENSITY_DEFAULTS                                                                                            \
    { .gradient = "score", .exploration = 0.01 }

// Rows of a table of options; offset: of its gw_density_arguments.
#define GW_OPTION_ROWS_DENSITY(offset)                                                                                 \
    {GW_OPTION_GROUP, .help = "Sampled graphs (-p sbm)"},                                                              \
        {GW_OPTION_REAL,                                                                                               \
         0,                                                                                                            \
         "density-weight",                                                                                             \
         "L",                                                                                                          \
         (offset) + offsetof(gw_density_arguments, weight),                                                            \
         "price in the loss of the mean density of the graphs (negative: pay)",                                        \
         .min = -1e9,                                                                                                  \
         .max = 1e9},                                                                                                  \
        {GW_OPTION_FLAG,                                                                                               \
         0,                                                                                                            \
         "expected-density",                                                                                           \
         NULL,                                                                                                         \
         (offset) + offsetof(gw_density_arguments, expected),                                                          \
         "the price is of the edges' probabilities, not of those that were drawn"},                                    \
        {GW_OPTION_REAL,                                                                                               \
         0,                                                                                                            \
         "exploration",                                                                                                \
         "P",                                                                                                          \
         (offset) + offsetof(gw_density_arguments, exploration),                                                       \
         "added to the probability of each edge",                                                                      \
         .min = 0,                                                                                                     \
         .max = 1},                                                                                                    \
    {                                                                                                                  \
        GW_OPTION_CHOICE, 0, "edge-gradient", "WHICH", (offset) + offsetof(gw_density_arguments, gradient),            \
            "what probabilities learn by: the gradient of the edge's score times the score, as the paper has it, or "  \
            "that of a mask beside the softmax's terms",                                                               \
            .choices = "score|mask"                                                                                    \
    }

static inline gw_network_density gw_density_of(const gw_density_arguments *a) {
    return (gw_network_density){.exploration = a->exploration,
                                .weight = a->weight,
                                .expected = a->expected,
                                .mask_gradient = strcmp(a->gradient, "mask") == 0};
}

#endif
