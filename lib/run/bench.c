// SPDX-License-Identifier: MIT
// Times one function by the median of its runs, until the device has done what was launched.
#include "run/bench.h"

#include "base/clock.h"
#include "base/memory.h"
#include "kernels/backend.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static gw_status run_whole(gw_status (*run)(void *), void *context) {
    char nothing = 0;
    GW_TRY(run(context));
    return gw_kernels()->to_host(&nothing, &nothing, 0);
}

gw_status gw_bench_time(const gw_bench *bench, gw_status (*run)(void *), void *context, double *seconds) {
    double *times = gw_alloc(bench->repeats, sizeof *times);
    if (!times) return GW_ERR_MEMORY;
    gw_status status = run_whole(run, context);
    for (int64_t i = 0; status == GW_OK && i < bench->repeats; i++) {
        const double start = gw_seconds_now();
        status = run_whole(run, context);
        times[i] = gw_seconds_now() - start;
    }
    qsort(times, (size_t)bench->repeats, sizeof *times, ascending);
    *seconds = times[bench->repeats / 2];
    free(times);
    return status;
}
