// SPDX-License-Identifier: MIT
// Two passes: means, then sums of products.
#include "measure/correlation.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static double mean_of(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i];
    return sum / (double)count;
}

double gw_pearson(const double *x, const double *y, int64_t count) {
    const double x_mean = mean_of(x, count), y_mean = mean_of(y, count);
    double xy = 0, xx = 0, yy = 0;
    for (int64_t i = 0; i < count; i++) {
        const double a = x[i] - x_mean, b = y[i] - y_mean;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0 && yy > 0 ? xy / (sqrt(xx) * sqrt(yy)) : NAN;
}

typedef struct {
    double value;
    int64_t index;
} ranked;

static int by_value(const void *a, const void *b) {
    const double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

static void rank(const double *x, int64_t count, ranked *order, double *out) {
    for (int64_t i = 0; i < count; i++) order[i] = (ranked){x[i], i};
    qsort(order, (size_t)count, sizeof *order, by_value);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && order[end].value == order[begin].value;) end++;
        for (int64_t i = begin; i < end; i++) out[order[i].index] = (double)(begin + end - 1) / 2;
    }
}

gw_status gw_spearman(const double *x, const double *y, int64_t count, double *out) {
    ranked *order = gw_alloc(count, sizeof *order);
    double *ranks = gw_alloc(2 * count, sizeof *ranks);
    const gw_status status = order && ranks ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        rank(x, count, order, ranks);
        rank(y, count, order, ranks + count);
        *out = gw_pearson(ranks, ranks + count, count);
    }
    free(order);
    free(ranks);
    return status;
}
