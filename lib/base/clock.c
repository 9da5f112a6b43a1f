// SPDX-License-Identifier: MIT
// The monotonic clock of POSIX; and the pace of a few tasks by name, of which a new one replaces the oldest.
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double gw_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int find_task(const gw_pace *pace, const char *what) {
    for (int i = 0; i < GW_PACE_TASKS; i++)
        if (strcmp(pace->task[i].what, what) == 0) return i;
    return -1;
}

static bool goes_on(const gw_pace *pace, int task, int64_t done, int64_t total) {
    if (task < 0 || pace->task[task].total != total || done < pace->task[task].done) return false;
    return total == 0 || pace->task[task].done < total;
}

gw_pace_reading gw_pace_read(gw_pace *pace, const char *what, int64_t done, int64_t total, double now) {
    int task = find_task(pace, what);
    gw_pace_reading reading = {.begins = !goes_on(pace, task, done, total)};
    if (task < 0) {
        task = pace->next;
        pace->next = (pace->next + 1) % GW_PACE_TASKS;
        snprintf(pace->task[task].what, sizeof pace->task[task].what, "%s", what);
    }
    if (reading.begins) {
        pace->task[task].began = now;
        pace->task[task].before = done;
        pace->task[task].total = total;
    }
    pace->task[task].done = done;
    reading.seconds = now - pace->task[task].began;
    if (reading.seconds > 0) reading.rate = (double)(done - pace->task[task].before) / reading.seconds;
    return reading;
}
