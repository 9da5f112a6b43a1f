// SPDX-License-Identifier: MIT
// The one way to compute on several threads.
//
// Everything shares libgomp's threads, which oneDNN uses too; a second pool beside it costs up to three times. Under
// gcc this is an OpenMP region; under clang, whose own runtime would be that second pool, libgomp's entry is called.
#ifndef GW_BASE_PARALLEL_H
#define GW_BASE_PARALLEL_H

#include <stdint.h>

// Does the items [begin, end); thread is 0 .. gw_threads() - 1 and owns its scratch memory.
typedef void (*gw_parallel_body)(void *context, int64_t begin, int64_t end, int thread);

// Splits [0, count) into chunks of at most `grain` items that free threads take in turn. What an item computes must
// not depend on the chunk it came in: results are then the same for every thread count.
void gw_parallel_for(int64_t count, int64_t grain, gw_parallel_body body, void *context);

void gw_parallel_zero(float *to, int64_t count); // to[0 .. count) = 0

int gw_threads(void);           // threads that gw_parallel_for uses at most
void gw_set_threads(int count); // 1 .. ; the default is the number of CPUs this process may use, or OMP_NUM_THREADS

#endif
