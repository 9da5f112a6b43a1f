// SPDX-License-Identifier: MIT
// Passes chunks of items to libgomp's threads, which take them in turn.
#include "base/parallel.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

// OpenMP's own functions, declared here because clang has no omp.h without its own runtime.
int omp_get_thread_num(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int count);

typedef struct {
    gw_parallel_body body;
    void *context;
    int64_t count, grain;
    _Atomic int64_t next;
} parallel_work;

static void take_chunks(void *argument) {
    parallel_work *work = argument;
    const int thread = omp_get_thread_num();
    for (;;) {
        const int64_t begin = atomic_fetch_add(&work->next, work->grain);
        if (begin >= work->count) return;
        const int64_t end = begin + work->grain < work->count ? begin + work->grain : work->count;
        work->body(work->context, begin, end, thread);
    }
}

#ifdef __clang__
// libgomp's stable entry point behind "#pragma omp parallel".
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
static void run_on_threads(parallel_work *work, int threads) {
    GOMP_parallel(take_chunks, work, (unsigned)threads, 0);
}
#else
static void run_on_threads(parallel_work *work, int threads) {
#pragma omp parallel num_threads(threads)
    take_chunks(work);
}
#endif

void gw_parallel_for(int64_t count, int64_t grain, gw_parallel_body body, void *context) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    const int64_t chunks = (count + grain - 1) / grain;
    const int threads = chunks < gw_threads() ? (int)chunks : gw_threads();
    if (threads == 1 || omp_in_parallel()) {
        body(context, 0, count, omp_get_thread_num());
        return;
    }
    parallel_work work = {.body = body, .context = context, .count = count, .grain = grain};
    run_on_threads(&work, threads);
}

enum { ZERO_GRAIN = 1 << 16 };

static void zero_range(void *memory, int64_t begin, int64_t end, int thread) {
    (void)thread;
    memset((float *)memory + begin, 0, (size_t)(end - begin) * sizeof(float));
}

void gw_parallel_zero(float *to, int64_t count) {
    gw_parallel_for(count, ZERO_GRAIN, zero_range, to);
}

int gw_threads(void) {
    return omp_get_max_threads();
}

void gw_set_threads(int count) {
    omp_set_num_threads(count);
}
