// SPDX-License-Identifier: MIT
// Names of metrics, in the order of their numbers.
#include "measure/metric_names.h"

#include <string.h>

const char *const gw_metric_names[GW_METRICS] = {"loss", "accuracy", "f1",       "micro-f1", "macro-f1",
                                                 "mcc",  "pearson",  "spearman", "exact"};

int gw_metric_by_name(const char *name) {
    for (int f = 0; f < GW_METRICS; f++)
        if (strcmp(name, gw_metric_names[f]) == 0) return f;
    return -1;
}
