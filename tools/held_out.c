// SPDX-License-Identifier: MIT
// Reads what a labelled set holds out from the options that say it.
#include "tools/held_out.h"

#include "base/parse.h"

gw_status gw_held_out_of(const gw_held_out_arguments *a, gw_genome *genome, gw_held_out *out) {
    int64_t fold, folds;
    if (!a->fold) return gw_held_out_read(out, genome, a->valid, a->test, a->exclude);
    if (a->valid || a->test) return gw_fail(GW_ERR_USAGE, "--fold stands in the place of --test and --valid");
    const gw_status status = gw_parse_part(a->fold, &fold, &folds);
    return status == GW_OK ? gw_held_out_fold(out, genome, fold, folds, a->exclude) : gw_fail_in(status, "--fold");
}
