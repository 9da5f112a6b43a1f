// SPDX-License-Identifier: MIT
// Times one function by the median of its runs.
#include "run/bench.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

gw_status gw_bench_time(const gw_bench *bench, gw_status (*run)(void *), void *context, double *seconds) {
    double *times = gw_alloc(bench->repeats, sizeof *times);
    if (!times) return GW_ERR_MEMORY;
    gw_status status = run(context);
    for (int64_t i = 0; status == GW_OK && i < bench->repeats; i++) {
        const double start = gw_seconds_now();
        status = run(context);
        times[i] = gw_seconds_now() - start;
    }
    qsort(times, (size_t)bench->repeats, sizeof *times, ascending);
    *seconds = times[bench->repeats / 2];
    free(times);
    return status;
}
