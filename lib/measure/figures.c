// SPDX-License-Identifier: MIT
// Names of figures, in the order of their numbers.
#include "measure/figures.h"

#include <string.h>

const char *const gw_figure_names[GW_FIGURES] = {"loss", "accuracy", "f1",       "micro-f1", "macro-f1",
                                                 "mcc",  "pearson",  "spearman", "exact"};

int gw_figure_by_name(const char *name) {
    for (int f = 0; f < GW_FIGURES; f++)
        if (strcmp(name, gw_figure_names[f]) == 0) return f;
    return -1;
}
