// SPDX-License-Identifier: MIT
// Time that passes.
#ifndef GW_BASE_CLOCK_H
#define GW_BASE_CLOCK_H

// Seconds since some moment, by a clock that is never set.
double gw_seconds_now(void);

#endif
