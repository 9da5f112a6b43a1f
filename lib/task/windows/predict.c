// SPDX-License-Identifier: MIT
// Runs models, or the mean of several, over the examples of a labelled set.
#include "task/windows/predict.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_check_set_windows(const gw_model *model, const gw_labelled_set *set) {
    const int64_t shortest = gw_labelled_set_shortest(set), longest = gw_labelled_set_longest(set);
    GW_TRY(gw_check_window(model, longest));
    const int64_t trained = model->config.window;
    if (trained > 0 && longest > 0 && (shortest != trained || longest != trained))
        gw_warn("the set's windows are %lld to %lld bp, the model was trained on %lld bp", (long long)shortest,
                (long long)longest, (long long)trained);
    return GW_OK;
}

bool gw_reads_both_strands(gw_strands strands, const gw_model *model) {
    return strands == GW_STRANDS_BY_TASK ? gw_both_strands_by_default(model) : strands == GW_STRANDS_BOTH;
}

static bool same_names(const gw_config *a, const gw_config *b) {
    if (a->labels != b->labels) return false;
    for (int64_t l = 0; a->label_names && b->label_names && l < a->labels; l++)
        if (strcmp(a->label_names[l], b->label_names[l]) != 0) return false;
    return true;
}

gw_status gw_ensemble_open(gw_model *const *models, int count, const gw_task_input *in, gw_ensemble *out) {
    const gw_config *first = &models[0]->config;
    const char *const *folders = in->models.items;
    *out = (gw_ensemble){.count = count};
    for (int m = 1; m < count; m++) {
        const gw_config *config = &models[m]->config;
        if (!same_names(first, config))
            return gw_fail(GW_ERR_MISMATCH, "%s has other labels than %s: their probabilities cannot be averaged",
                           folders[m], folders[0]);
        if (config->window != first->window || config->tss_offset != first->tss_offset)
            return gw_fail(GW_ERR_MISMATCH, "%s was trained on other windows than %s", folders[m], folders[0]);
    }
    out->items = gw_alloc(count, sizeof *out->items);
    if (!out->items) return GW_ERR_MEMORY;
    for (int m = 0; m < count; m++) {
        const gw_label_predictor_options one = {.tokens = in->tokens,
                                                .both_strands = gw_reads_both_strands(in->strands, models[m])};
        GW_TRY(gw_label_predictor_new(models[m], &one, &out->items[m]));
    }
    return GW_OK;
}

void gw_ensemble_close(gw_ensemble *ensemble) {
    for (int m = 0; ensemble->items && m < ensemble->count; m++) gw_label_predictor_free(ensemble->items[m]);
    free(ensemble->items);
}

gw_status gw_ensemble_run(const gw_ensemble *ensemble, const char *const *bases, const int64_t *lengths, int64_t count,
                          float *scratch, float *mean) {
    const int64_t values = count * gw_label_predictor_labels(ensemble->items[0]);
    GW_TRY(gw_label_predictor_run(ensemble->items[0], bases, lengths, count, mean, NULL));
    for (int m = 1; m < ensemble->count; m++) {
        GW_TRY(gw_label_predictor_run(ensemble->items[m], bases, lengths, count, scratch, NULL));
        for (int64_t i = 0; i < values; i++) mean[i] += scratch[i];
    }
    for (int64_t i = 0; ensemble->count > 1 && i < values; i++) mean[i] /= (float)ensemble->count;
    return GW_OK;
}

gw_status gw_predict_examples(const gw_ensemble *ensemble, gw_labelled_set *set, int64_t first, int64_t count,
                              float *probabilities) {
    const int64_t longest = gw_labelled_set_longest(set);
    char *held = gw_alloc(count, longest);
    const char **bases = gw_alloc(count, sizeof *bases);
    int64_t *lengths = gw_alloc(count, sizeof *lengths);
    float *scratch = gw_alloc(count * gw_label_predictor_labels(ensemble->items[0]), sizeof *scratch);
    gw_status status = held && bases && lengths && scratch ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const char *window;
        status = gw_labelled_set_bases(set, first + i, &window, &lengths[i]);
        bases[i] = held + i * longest;
        if (status == GW_OK) memcpy(held + i * longest, window, (size_t)lengths[i]);
    }
    if (status == GW_OK) {
        status = gw_ensemble_run(ensemble, bases, lengths, count, scratch, probabilities);
        if (status != GW_OK) status = gw_fail_in(status, "examples from %lld on", (long long)first + 1);
    }
    free(held);
    free(bases);
    free(lengths);
    free(scratch);
    return status;
}

gw_status gw_predict_set(const gw_ensemble *ensemble, gw_labelled_set *set, const char *shown, float *probabilities) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_label_predictor_labels(ensemble->items[0]);
    for (int64_t first = 0; first < count; first += GW_PREDICT_CHUNK) {
        const int64_t size = gw_min(GW_PREDICT_CHUNK, count - first);
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_predict_examples(ensemble, set, first, size, probabilities + first * labels));
        if (shown) gw_progress(shown, first + size, count, "windows", NULL);
    }
    if (shown) gw_progress_end();
    return GW_OK;
}

gw_status gw_predict_set_outputs(gw_label_predictor *predictor, gw_labelled_set *set, float *outputs) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_label_predictor_labels(predictor),
                  width = labels * gw_label_predictor_strands(predictor);
    const gw_ensemble one = {&predictor, 1};
    float *probabilities = gw_alloc(GW_PREDICT_CHUNK * labels, sizeof *probabilities);
    gw_status status = probabilities ? GW_OK : GW_ERR_MEMORY;
    for (int64_t first = 0; status == GW_OK && first < count; first += GW_PREDICT_CHUNK) {
        const int64_t size = gw_min(GW_PREDICT_CHUNK, count - first);
        status = gw_check_interrupt();
        if (status == GW_OK) status = gw_predict_examples(&one, set, first, size, probabilities);
        if (status == GW_OK)
            memcpy(outputs + first * width, gw_label_predictor_outputs(predictor),
                   (size_t)(size * width) * sizeof *outputs);
    }
    free(probabilities);
    return status;
}
