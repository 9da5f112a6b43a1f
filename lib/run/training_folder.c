// SPDX-License-Identifier: MIT
// The folder holds a model if it has weights, which are written last.
#include "run/training_folder.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "run/ranks.h"
#include "run/state.h"

#include <errno.h>
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
                   "%s holds the state of a run that was stopped: continue with --resume, or remove that folder",
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

// --- metrics

// Appends one JSON object a line, and cuts the file back to the step that a run resumes from.
struct gw_metrics {
    FILE *file;
    char *path;
};

// Leaves the lines up to `step`, without an unfinished last one.
static gw_status cut_back(const char *path, int64_t step) {
    if (step == 0 || !gw_file_exists(path)) return gw_write_file(path, "", 0);
    char *text;
    int64_t length;
    gw_string kept = {0};
    GW_TRY(gw_read_file(path, &text, &length));
    for (const char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *row = json_loadb(line, (size_t)(end - line), 0, NULL);
        const json_t *at = row ? json_object_get(row, "step") : NULL;
        const bool earlier = json_is_integer(at) && json_integer_value(at) <= step;
        json_decref(row);
        if (earlier) gw_string_append(&kept, line, end - line + 1);
    }
    gw_status status = gw_string_status(&kept);
    if (status == GW_OK) status = gw_write_file(path, kept.data ? kept.data : "", kept.length);
    gw_string_free(&kept);
    free(text);
    return status;
}

gw_status gw_metrics_open(const char *path, int64_t step, gw_metrics **out) {
    *out = NULL;
    GW_TRY(cut_back(path, step));
    gw_metrics *metrics = gw_alloc(1, sizeof *metrics);
    if (!metrics) return GW_ERR_MEMORY;
    metrics->path = gw_strdup(path);
    metrics->file = metrics->path ? fopen(path, "abe") : NULL;
    if (metrics->file) {
        *out = metrics;
        return GW_OK;
    }
    const gw_status status =
        metrics->path ? gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno)) : GW_ERR_MEMORY;
    free(metrics->path);
    free(metrics);
    return status;
}

gw_status gw_metrics_add(gw_metrics *metrics, const json_t *row) {
    // Jansson passes over a name that was not written: the stream knows.
    const bool good = json_dumpf(row, metrics->file, JSON_COMPACT | JSON_REAL_PRECISION(7)) == 0 &&
                      fputc('\n', metrics->file) != EOF && !ferror(metrics->file) && fflush(metrics->file) == 0;
    return good ? GW_OK : gw_fail(GW_ERR_IO, "cannot write %s: %s", metrics->path, strerror(errno));
}

gw_status gw_metrics_close(gw_metrics *metrics) {
    if (!metrics) return GW_OK;
    const gw_status status =
        fclose(metrics->file) == 0 ? GW_OK : gw_fail(GW_ERR_IO, "cannot write %s: %s", metrics->path, strerror(errno));
    free(metrics->path);
    free(metrics);
    return status;
}
