// SPDX-License-Identifier: MIT
// Computing on several threads.
//
// All code shares libgomp's threads, which oneDNN uses too. A second thread pool makes computing up to three times
// slower. With gcc, a parallel loop is an OpenMP region. clang's own OpenMP runtime would be a second pool, so with
// clang the loop calls libgomp's entry point.
#ifndef GW_BASE_PARALLEL_H
#define GW_BASE_PARALLEL_H

#include <stdint.h>

// Computes the items [begin, end). thread is 0 .. gw_threads() - 1 and owns its scratch memory.
typedef void (*gw_parallel_body)(void *context, int64_t begin, int64_t end, int thread);

// Splits [0, count) into chunks of at most `grain` items; free threads take the chunks in turn. The result of an item
// must not depend on its chunk. Results are then the same for every number of threads.
void gw_parallel_for(int64_t count, int64_t grain, gw_parallel_body body, void *context);

void gw_parallel_zero(float *to, int64_t count); // to[0 .. count) = 0

int gw_threads(void);           // most threads that gw_parallel_for() uses
void gw_set_threads(int count); // at least 1; default: OMP_NUM_THREADS, or the number of CPUs of this process

#endif
