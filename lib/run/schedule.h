// SPDX-License-Identifier: MIT
// The learning rate of each step: linear warm-up, then linear decay to 0.
//
//   rate(t) = peak (t + 1) / warmup                     t < warmup
//   rate(t) = peak (steps - t) / (steps - warmup)       after it;  t = 0 .. steps - 1
#ifndef GW_RUN_SCHEDULE_H
#define GW_RUN_SCHEDULE_H

#include <stdint.h>

typedef struct {
    double peak;
    int64_t warmup, steps;
} gw_schedule;

double gw_schedule_rate(const gw_schedule *schedule, int64_t step);
// The default warm-up: the smaller of 10,000 and a tenth of the steps.
int64_t gw_default_warmup(int64_t steps);

#endif
