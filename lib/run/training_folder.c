// SPDX-License-Identifier: MIT
// The folder holds a model once its weights are there, which are written last.
#include "run/training_folder.h"

#include "base/log.h"
#include "base/output.h"
#include "run/ranks.h"
#include "run/state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gw_status gw_training_folders_lock(gw_training_locks *locks, const char *output, const char *checkpoints) {
    if (!gw_is_first_rank()) return GW_OK;
    GW_TRY(gw_lock_acquire(&locks->output, output));
    if (!checkpoints || strcmp(checkpoints, output) == 0) return GW_OK;
    const gw_status status = gw_lock_acquire(&locks->checkpoints, checkpoints);
    if (status != GW_OK) gw_lock_release(&locks->output);
    return status;
}

void gw_training_folders_unlock(gw_training_locks *locks) {
    gw_lock_release(&locks->checkpoints);
    gw_lock_release(&locks->output);
}

static gw_status check_folder(const char *folder, bool resume, bool *finished) {
    char *weights = gw_join_path(folder, "model.safetensors");
    if (!weights) return GW_ERR_MEMORY;
    *finished = gw_file_exists(weights);
    free(weights);
    if (*finished && resume) gw_note("%s is finished and was left as it is", folder);
    if (!*finished || resume) return GW_OK;
    return gw_fail(GW_ERR_IO, "%s already holds a model: remove it, or choose another folder", folder);
}

gw_status gw_training_folder_check(const char *folder, bool resume, bool *finished) {
    *finished = false;
    GW_TRY(gw_ranks_agree(gw_is_first_rank() ? check_folder(folder, resume, finished) : GW_OK));
    gw_ranks_broadcast(finished, sizeof *finished);
    return GW_OK;
}

gw_status gw_training_folder_check_state(const char *checkpoints) {
    if (!gw_is_first_rank()) return GW_OK;
    char *state = gw_join_path(checkpoints, gw_state_file);
    if (!state) return GW_ERR_MEMORY;
    const bool found = gw_file_exists(state);
    free(state);
    if (!found) return GW_OK;
    return gw_fail(GW_ERR_IO,
                   "%s holds the state of a run that was stopped: go on with --resume, or remove that folder",
                   checkpoints);
}

void gw_training_folder_remove_state(const char *checkpoints) {
    if (!gw_is_first_rank()) return;
    const char *const names[] = {gw_state_file, "metrics.jsonl"};
    for (int i = 0; i < 2; i++) {
        char *path = gw_join_path(checkpoints, names[i]);
        if (path) unlink(path);
        free(path);
    }
    rmdir(checkpoints);
}

gw_status gw_training_folder_take_metrics(const char *folder, const char *checkpoints) {
    if (!checkpoints) return GW_OK;
    char *from = gw_join_path(checkpoints, "metrics.jsonl"), *to = gw_join_path(folder, "metrics.jsonl");
    const gw_status status = from && to ? gw_copy_file(from, to) : GW_ERR_MEMORY;
    free(from);
    free(to);
    return status;
}
