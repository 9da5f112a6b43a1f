// SPDX-License-Identifier: MIT
// Computes the rate of a step from its number alone.
#include "run/schedule.h"

#include <math.h>

static const char *const names[GW_SCHEDULES] = {"linear", "cosine", "one-cycle", "sqrt", "hold-sqrt"};

const char *gw_schedule_name(gw_schedule_kind kind) {
    return names[kind];
}

gw_schedule gw_schedule_make(gw_schedule_kind kind, double peak, int64_t warmup, int64_t steps) {
    enum { LONGEST = 10000 };
    if (warmup < 0 && kind == GW_SCHEDULE_ONE_CYCLE) warmup = 3 * steps / 10;
    else if (warmup < 0) warmup = steps / 10 < LONGEST ? steps / 10 : LONGEST;
    return (gw_schedule){kind, peak, warmup, steps};
}

// From `high` at x = 0 to `low` at x = 1.
static double half_wave(double high, double low, double x) {
    return low + (high - low) * (1 + cos(M_PI * x)) / 2;
}

double gw_schedule_rate(const gw_schedule *s, int64_t step) {
    const double low = s->peak / 25, end = low / 1e4, done = (double)step + 1;
    if (s->kind == GW_SCHEDULE_HOLD_SQRT) return s->peak * fmin(1, sqrt((double)s->warmup / done));
    if (step < s->warmup) {
        if (s->kind == GW_SCHEDULE_ONE_CYCLE) return half_wave(low, s->peak, (double)step / (double)s->warmup);
        return s->peak * done / (double)s->warmup;
    }
    if (s->kind == GW_SCHEDULE_SQRT) return s->peak * sqrt(fmax((double)s->warmup, 1) / done);
    if (s->kind == GW_SCHEDULE_LINEAR) return s->peak * (double)(s->steps - step) / (double)(s->steps - s->warmup);
    const double x = (double)(step - s->warmup) / (double)(s->steps - s->warmup);
    return half_wave(s->peak, s->kind == GW_SCHEDULE_ONE_CYCLE ? end : 0, x);
}
