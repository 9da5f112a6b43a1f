// SPDX-License-Identifier: MIT
// The kinds of the tasks, in the order of tasks.def.
#include "base/memory.h"
#include "base/output.h"
#include "model/family.h"
#include "task/data_kind.h"
#include "task/evaluate.h"
#include "task/frozen/frozen.h"
#include "task/kind.h"
#include "task/texts/text_data.h"

#include <stdlib.h>

#define GW_TASK(NAME, name, kind, help, ...) extern const gw_task_kind gw_task_kind_##kind;
#include GW_TASKS_DEF
#undef GW_TASK

static const gw_task_kind *const kinds[] = {
    NULL, // pretraining
#define GW_TASK(NAME, name, kind, help, ...) &gw_task_kind_##kind,
#include GW_TASKS_DEF
#undef GW_TASK
};

const gw_task_kind *gw_task_kind_of(gw_task task) {
    return kinds[task];
}

// Evaluates and predicts by the kind of the data, which the model's task, the files and the options say.

// Of a set. `windows`: options say that it is of windows.
static const gw_data_kind *kind_of_set(const gw_config *config, const gw_task_input *in, bool windows) {
    const gw_task_kind *task = gw_task_kind_of(config->task);
    if (task && task->data) return task->data;
    const gw_family_row *family = gw_family_of(config->family);
    if (family->tracks && family->tracks(config).profiles) return &gw_data_counts; // converted, without a task
    windows |= in->fasta || in->strands != GW_STRANDS_BY_TASK;
    return !windows && gw_reads_texts(config, in) ? &gw_data_texts : &gw_data_windows;
}

// A set is a file, or the prefix of several, the first of which tells what they are.
static gw_status kind_of_evaluation(const gw_config *config, const gw_eval_options *o, const gw_data_kind **out) {
    static const char *const suffixes[] = {".idx", "", ".bed.gz", ".bases"};
    enum { SHARDS, TABLE };
    *out = &gw_data_genome;
    if (o->in.sets.count == 0) return GW_OK;
    for (int s = 0; s < (int)(sizeof suffixes / sizeof *suffixes); s++) {
        char *path = gw_strprintf("%s%s", o->in.sets.items[0], suffixes[s]);
        if (!path) return GW_ERR_MEMORY;
        const bool found = gw_file_exists(path);
        free(path);
        if (!found) continue;
        *out = kind_of_set(config, &o->in, s != TABLE || o->negatives.count > 0);
        if (s == SHARDS && *out == &gw_data_windows) *out = &gw_data_shards;
        return GW_OK;
    }
    return gw_fail(GW_ERR_IO, "%s is neither the prefix of token shards (.idx) nor a labelled set",
                   o->in.sets.items[0]);
}

gw_status gw_eval(gw_model *const *models, int count, const gw_eval_options *options) {
    const gw_data_kind *kind;
    if (options->frozen.count > 0) return gw_eval_frozen(models, count, options);
    GW_TRY(kind_of_evaluation(&models[0]->config, options, &kind));
    return kind->evaluate(models, count, options);
}

gw_status gw_predict(gw_model *const *models, int count, const gw_predict_options *options) {
    const gw_data_kind *kind = kind_of_set(&models[0]->config, &options->in, options->in.sets.count == 0);
    if (options->controls.count > 0 && kind != &gw_data_counts)
        return gw_fail(GW_ERR_UNSUPPORTED, "--control is for models of profiles that have control tracks");
    return kind->predict ? kind->predict(models, count, options) : gw_fail(GW_ERR_UNSUPPORTED, "%s", kind->refusal);
}
