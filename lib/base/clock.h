// SPDX-License-Identifier: MIT
// Time measurement: a monotonic clock, and the pace of tasks.
#ifndef GW_BASE_CLOCK_H
#define GW_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Seconds since an arbitrary moment, by a clock that is never set.
double gw_seconds_now(void);

// The elapsed time and the rate of a task with many units. Another task may run in between, such as validation during
// training. The time of the training then includes the time of the validation.

enum { GW_PACE_TASKS = 4 }; // tasks that are kept at the same time

typedef struct {
    struct {
        char what[64];
        double began;
        int64_t before; // units that were done when the task began, such as those of a run that was resumed
        int64_t done, total;
    } task[GW_PACE_TASKS];
    int next; // the task to replace next
} gw_pace;    // begins as zeros

typedef struct {
    double seconds; // since the task began
    double rate;    // units a second; 0: not yet known
    bool begins;    // this is the first call for this task
} gw_pace_reading;

// `done` of `total` units (0: unknown) are finished at time `now` (seconds of any clock). The call continues a task of
// the same name and total that is not finished and has not done more units. Otherwise the call begins a task.
gw_pace_reading gw_pace_read(gw_pace *pace, const char *what, int64_t done, int64_t total, double now);

#endif
