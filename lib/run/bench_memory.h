// SPDX-License-Identifier: MIT
// Arrays of the device's memory for kernels that are timed alone.
#ifndef GW_RUN_BENCH_MEMORY_H
#define GW_RUN_BENCH_MEMORY_H

#include "base/memory.h"

#include <stdint.h>

// As gw_arena_place() and gw_arena_free(), of memory of the device.
gw_status gw_bench_place(gw_arena *arena) GW_MUST_CHECK;
void gw_bench_release(gw_arena *arena);
// Writes made-up numbers there.
gw_status gw_bench_fill(float *device, int64_t count) GW_MUST_CHECK;

#endif
