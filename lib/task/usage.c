// SPDX-License-Identifier: MIT
// Messages name options as the command has them.
#include "task/usage.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "model/task.h"

#include <stdlib.h>

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

gw_status gw_read_weights(const char *option, const char *text, int64_t count, double **out) {
    char *copy = gw_strdup(text), **fields = gw_alloc(count + 1, sizeof *fields);
    *out = gw_alloc(count, sizeof **out);
    gw_status status = copy && fields && *out ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_split(copy, ',', fields, (int)count + 1) != count)
        status = gw_fail(GW_ERR_USAGE, "%s '%s' are not %lld numbers between commas", option, text, (long long)count);
    for (int64_t c = 0; status == GW_OK && c < count; c++)
        if (gw_parse_double(fields[c], 1e-6, 1e6, &(*out)[c]) != GW_OK)
            status = gw_fail(GW_ERR_USAGE, "%s: '%s' is no number from 1e-6 to 1e6", option, fields[c]);
    free(copy);
    free(fields);
    return status;
}
