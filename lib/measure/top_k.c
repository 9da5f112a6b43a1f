// SPDX-License-Identifier: MIT
// The k-th highest probability is found in a sorted copy.
#include "measure/top_k.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int descending(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

gw_status gw_top_k(const float *probability, const float *label, int64_t count, double *out) {
    int64_t k = 0, above = 0, right_above = 0, ties = 0, right_ties = 0;
    *out = NAN;
    for (int64_t i = 0; i < count; i++) k += label[i] >= 0.5F;
    if (k == 0) return GW_OK;
    float *sorted = gw_alloc(count, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    memcpy(sorted, probability, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, descending);
    const float least = sorted[k - 1];
    free(sorted);
    for (int64_t i = 0; i < count; i++) {
        const int64_t right = label[i] >= 0.5F;
        if (probability[i] > least) above++, right_above += right;
        else if (probability[i] == least) ties++, right_ties += right;
    }
    *out = ((double)right_above + (double)right_ties * (double)(k - above) / (double)ties) / (double)k;
    return GW_OK;
}
