// SPDX-License-Identifier: MIT
// Runs the validation set once more under the weights that make the model, as its logits are wanted.
#include "base/log.h"
#include "base/memory.h"
#include "measure/temperature.h"
#include "task/finetune_run.h"
#include "task/windows/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status fit_windows(gw_finetune_run *run, gw_temperature *out) {
    const gw_config *config = &run->model->config;
    const int strands = gw_label_predictor_strands(run->predictor);
    const int64_t count = gw_labelled_set_count(run->valid);
    double *shift = gw_alloc(config->labels, sizeof *shift);
    float *logit = gw_alloc(count * strands * config->labels, sizeof *logit);
    gw_status status = shift && logit ? gw_predict_set_outputs(run->predictor, run->valid, logit) : GW_ERR_MEMORY;
    for (int64_t l = 0; shift && l < config->labels; l++) shift[l] = log(gw_config_positive_weight(config, l));
    const gw_temperature_rows rows = {.rows = count,
                                      .labels = config->labels,
                                      .strands = strands,
                                      .logit = logit,
                                      .shift = shift,
                                      .value = run->values};
    if (status == GW_OK) status = gw_temperature_fit(&rows, out);
    free(shift);
    free(logit);
    return status;
}

// Logits of texts one after another: of rows, or of their tokens.
typedef struct {
    float *value;
    int64_t count, capacity;
} logit_list;

static gw_status keep_logits(void *context, int64_t row, const float *z, int64_t count) {
    (void)row;
    logit_list *list = context;
    GW_TRY(gw_reserve(&list->value, &list->capacity, list->count + count, sizeof *list->value));
    memcpy(list->value + list->count, z, (size_t)count * sizeof *z);
    list->count += count;
    return GW_OK;
}

static gw_status fit_texts(gw_finetune_run *run, gw_temperature *out) {
    const gw_text_set *set = &run->texts.valid;
    const int64_t labels = run->model->config.labels;
    logit_list list = {0};
    double *none = gw_alloc(labels, sizeof *none); // ln w is off already
    gw_status status = none ? gw_text_logits_run(run->texts.logits, NULL, keep_logits, &list) : GW_ERR_MEMORY;
    const gw_temperature_rows rows = {.rows = list.count / labels,
                                      .labels = labels,
                                      .strands = 1,
                                      .logit = list.value,
                                      .shift = none,
                                      .value = set->number,
                                      .label = set->label};
    if (status == GW_OK) status = gw_temperature_fit(&rows, out);
    free(list.value);
    free(none);
    return status;
}

static void tell(const gw_temperature *fit) {
    if (fit->found)
        gw_note(
            "temperature %.4g, which divides the logits: the probabilities' loss on the validation set is %.4f (%.4f "
            "without)",
            fit->temperature, fit->loss, fit->at_one);
    else gw_note("no temperature: dividing the logits makes no probabilities of the validation set better");
}

gw_status gw_finetune_fit_temperature(gw_finetune_run *run) {
    gw_config *config = &run->model->config;
    gw_temperature fit;
    if (!gw_finetune_validates(run) || !gw_config_has_classes(config)) return GW_OK;
    GW_TRY(gw_parameters_to_device(&run->model->parameters));
    GW_TRY(gw_finetune_of_texts(run) ? fit_texts(run, &fit) : fit_windows(run, &fit));
    if (fit.found) config->temperature = fit.temperature;
    tell(&fit);
    return GW_OK;
}
