// SPDX-License-Identifier: MIT
// Computes the rate of a step from its number alone.
#include "run/schedule.h"

double gw_schedule_rate(const gw_schedule *schedule, int64_t step) {
    if (step < schedule->warmup) return schedule->peak * (double)(step + 1) / (double)schedule->warmup;
    return schedule->peak * (double)(schedule->steps - step) / (double)(schedule->steps - schedule->warmup);
}

int64_t gw_default_warmup(int64_t steps) {
    enum { LONGEST = 10000 };
    return steps / 10 < LONGEST ? steps / 10 : LONGEST;
}
