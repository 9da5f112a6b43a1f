// SPDX-License-Identifier: MIT
// The clock that POSIX calls monotonic.
#include "base/clock.h"

#include <time.h>

double gw_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
