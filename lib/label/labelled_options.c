// SPDX-License-Identifier: MIT
// Asks whether a row's split is wanted, and whether a set without splits will do.
#include "label/labelled_options.h"

#include <string.h>

bool gw_split_wanted(const gw_labelled_options *options, const char *found) {
    const bool all = !options->split || strcmp(options->split, "all") == 0;
    return all || !found || strcmp(options->split, found) == 0;
}

gw_status gw_no_splits(const gw_labelled_options *options, const char *path) {
    if (!options->split_required || gw_split_wanted(options, "")) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s has no splits, so no %s part", path, options->split);
}
