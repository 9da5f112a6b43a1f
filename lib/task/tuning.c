// SPDX-License-Identifier: MIT
// Hands the settings of a fine-tuning run to the trainer.
#include "task/finetune_options.h"

#include "base/memory.h"
#include "base/output.h"
#include "run/ranks.h"
#include "run/training_folder.h"

#include <stdlib.h>

static gw_status run_unless_finished(const gw_tuning *tuning, gw_status (*run)(const void *options),
                                     const void *options) {
    bool finished = false;
    GW_TRY(gw_training_folder_check(tuning->output, tuning->resume, &finished));
    if (!finished && !tuning->resume && tuning->checkpoints_pass && tuning->checkpoints)
        GW_TRY(gw_training_folder_check_state(tuning->checkpoints));
    if (!finished) GW_TRY(run(options));
    if (tuning->checkpoints_pass && tuning->checkpoints) gw_training_folder_remove_state(tuning->checkpoints);
    return GW_OK;
}

gw_status gw_tuning_run(const gw_tuning *tuning, gw_status (*run)(const void *options), const void *options) {
    gw_training_locks locks = {0};
    GW_TRY(gw_training_folders_lock(&locks, tuning->output, tuning->checkpoints));
    const gw_status status = run_unless_finished(tuning, run, options);
    gw_training_folders_unlock(&locks);
    return status;
}

gw_network_options gw_tuning_network(const gw_tuning *t) {
    return (gw_network_options){
        .training = true, .recompute = t->recompute, .precision = t->precision, .mixer = t->mixer, .seed = t->seed};
}

gw_epochs gw_tuning_order(const gw_tuning *t, int64_t examples) {
    return (gw_epochs){.seed = t->seed, .examples = examples, .batch = t->batch};
}

int64_t gw_tuning_steps(const gw_tuning *t, int64_t epoch_steps) {
    return t->steps > 0 ? t->steps : t->epochs * epoch_steps;
}

gw_status gw_tuning_keep_command(const gw_tuning *t, gw_config *config) {
    free(config->command);
    config->command = t->command ? gw_strdup(t->command) : NULL;
    return !t->command || config->command ? GW_OK : GW_ERR_MEMORY;
}

static gw_status train(const gw_tuning *tuning, const gw_trainer_options *options, gw_training *training) {
    const bool first = gw_is_first_rank();
    if (first) GW_TRY(gw_make_directory(tuning->output));
    if (first && tuning->checkpoints) GW_TRY(gw_make_directory(tuning->checkpoints));
    return gw_train(training, options);
}

gw_status gw_tune(const gw_tuning *tuning, int64_t steps, const char *fingerprint, gw_training *training) {
    char *metrics = gw_join_path(tuning->checkpoints ? tuning->checkpoints : tuning->output, "metrics.jsonl");
    const gw_trainer_options options = {
        .schedule = gw_schedule_make(tuning->schedule, tuning->rate, tuning->warmup, steps),
        .optimiser = tuning->optimiser,
        .checkpoints = tuning->checkpoints,
        .save_every = tuning->save_every,
        .save_seconds = GW_SAVE_SECONDS,
        .report_every = tuning->report_every,
        .resume = tuning->resume,
        .metrics = metrics,
        .fingerprint = fingerprint,
        .average_decay = tuning->average_decay,
    };
    const gw_status status = metrics ? train(tuning, &options, training) : GW_ERR_MEMORY;
    free(metrics);
    return status;
}
