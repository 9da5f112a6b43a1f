// SPDX-License-Identifier: MIT
// The learning rate of each step, a function of its number t = 0 .. steps - 1. With w = warmup and
// x = (t - w) / (steps - w) behind the warm-up:
//
//   linear     peak (t + 1) / w                        t < w
//              peak (1 - x)                            after it
//   cosine     the same rise;  peak (1 + cos(pi x)) / 2
//   sqrt       the same rise;  peak sqrt(w / (t + 1)), without w as of w = 1 (Vaswani et al. 2017, section 5.3)
//   hold-sqrt  peak min(1, sqrt(w / (t + 1)))
//   one-cycle  low + (peak - low) (1 - cos(pi t / w)) / 2        low = peak / 25
//              end + (peak - end) (1 + cos(pi x)) / 2            end = low / 10,000 (Smith and Topin 2017)
#ifndef GW_RUN_SCHEDULE_H
#define GW_RUN_SCHEDULE_H

#include <stdint.h>

typedef enum {
    GW_SCHEDULE_LINEAR,
    GW_SCHEDULE_COSINE,
    GW_SCHEDULE_ONE_CYCLE,
    GW_SCHEDULE_SQRT,
    GW_SCHEDULE_HOLD_SQRT,
    GW_SCHEDULES
} gw_schedule_kind;
#define GW_SCHEDULE_NAMES "linear|cosine|one-cycle|sqrt|hold-sqrt"

typedef struct {
    gw_schedule_kind kind;
    double peak;
    int64_t warmup, steps;
} gw_schedule;

// With the default warm-up where `warmup` is negative: the smaller of 10,000 and a tenth of the steps, three tenths of
// one cycle.
gw_schedule gw_schedule_make(gw_schedule_kind kind, double peak, int64_t warmup, int64_t steps);
double gw_schedule_rate(const gw_schedule *schedule, int64_t step);
const char *gw_schedule_name(gw_schedule_kind kind); // one of GW_SCHEDULE_NAMES

#endif
