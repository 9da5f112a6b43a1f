// SPDX-License-Identifier: MIT
// Messages name options as the command has them.
#include "task/usage.h"

#include "model/task.h"

gw_status gw_refuse_metric(const gw_finetune_options *o) {
    return gw_fail(GW_ERR_USAGE, "--metric %s is not one of --task %s", o->metric, gw_task_of(o->task)->name);
}

gw_status gw_check_baseline(const gw_finetune_options *o, gw_baseline own) {
    if (o->baseline != GW_BASELINE_KMER && o->baseline != GW_BASELINE_WORDS) return GW_OK;
    const bool words = o->baseline == GW_BASELINE_WORDS;
    const char *name = words ? "words" : "kmer";
    if (o->baseline != own)
        return gw_fail(GW_ERR_USAGE, "--baseline %s is of %s", name,
                       words ? "classes of texts: --task classify, with --labels one or many"
                             : "windows, not of --task classify and token");
    if (o->tuning.valid.count > 0) return GW_OK;
    return gw_fail(GW_ERR_USAGE, "--baseline %s needs --valid, by which %s is chosen", name,
                   words ? "its penalty" : "k");
}
