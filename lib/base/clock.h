// SPDX-License-Identifier: MIT
// Time that passes.
#ifndef GW_BASE_CLOCK_H
#define GW_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Seconds since some moment, by a clock that is never set.
double gw_seconds_now(void);

// How long a task of many units has taken, and its rate. Another task may come between: validations in a training,
// whose time is the training's too.

enum { GW_PACE_TASKS = 4 }; // that are known at a time

typedef struct {
    struct {
        char what[64];
        double began;
        int64_t before; // units done when it began: a resumed run
        int64_t done, total;
    } task[GW_PACE_TASKS];
    int next; // the one that gives way
} gw_pace;    // begins as zeros

typedef struct {
    double seconds; // since the task began
    double rate;    // units a second; 0: not known yet
    bool begins;    // the first call for this task
} gw_pace_reading;

// At time `now` (seconds of any clock) `done` of `total` units (0: unknown) are finished. A task goes on where one of
// the same name and total is not finished and has no more done.
gw_pace_reading gw_pace_read(gw_pace *pace, const char *what, int64_t done, int64_t total, double now);

#endif
