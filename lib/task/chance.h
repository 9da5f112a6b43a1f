// SPDX-License-Identifier: MIT
// Whether a run learns at all: its loss beside that of guessing.
#ifndef GW_TASK_CHANCE_H
#define GW_TASK_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double loss, guess; // running means over about 50 steps
    int64_t steps;
    int64_t patience; // steps before the next warning; to be set before the first step
} gw_chance;

// Takes the loss of a step and that of guessing on the same examples. True, after `patience` steps and then after ever
// more, where the loss has not come below 0.995 of guessing.
bool gw_chance_stays(gw_chance *chance, double loss, double guess);

#endif
