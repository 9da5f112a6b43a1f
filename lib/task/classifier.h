// SPDX-License-Identifier: MIT
// The model of a run with a label head: a fresh encoder, a pretrained encoder with a new head, or a classifier of the
// same labels that continues.
#ifndef GW_TASK_CLASSIFIER_H
#define GW_TASK_CLASSIFIER_H

#include "measure/temperature.h"
#include "model/model.h"
#include "task/finetune.h"
#include "task/kind.h"

#include <stddef.h>

// Adds the sets' labels to the classifier's config, which already has task, head and problem.
typedef gw_status gw_describe_labels(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config);

// Makes run->model. `letters`: a fresh encoder without a tokenizer reads single letters.
gw_status gw_classifier_make(gw_finetune_run *run, bool letters, gw_describe_labels *describe) GW_MUST_CHECK;
// Sets the config's labels to these names, in order.
gw_status gw_classifier_name_labels(gw_config *config, int64_t labels,
                                    const char *(*name)(const void *set, int64_t label), const void *set) GW_MUST_CHECK;
// Appends the settings that a resumed run of classifiers must share, except those of its kind: numbers of examples, and
// the number of the metric for comparing epochs.
void gw_classifier_print(const gw_finetune_run *run, int64_t examples, int64_t valid, int metric, gw_string *out);

// Handling of options by kinds of tasks: presets fill options that were not given, and contradictory options are
// errors.

#define GW_GIVEN(options, field) ((options)->given && (options)->given(offsetof(gw_finetune_options, field)))
#define GW_UNLESS_GIVEN(options, field, value)                                                                         \
    do {                                                                                                               \
        if (!GW_GIVEN(options, field)) (options)->field = (value);                                                     \
    } while (0)

// Fails: the task does not have this --metric.
gw_status gw_refuse_metric(const gw_finetune_options *options) GW_MUST_CHECK;
// Fails if a baseline other than `own`, the one of the kind (GW_BASELINE_NONE: none), was requested, or if there is no
// validation to choose it by.
gw_status gw_check_baseline(const gw_finetune_options *options, gw_baseline own) GW_MUST_CHECK;

// Reads a number from 1e-6 to 1e6 for each of `count` columns or classes, between commas; free(*out). `option` is for
// messages.
gw_status gw_read_weights(const char *option, const char *text, int64_t count, double **out) GW_MUST_CHECK;

// Fits the temperature of a trained classifier's logits to a validation set. If there is one, stores it in the model's
// config and prints a note.
gw_status gw_keep_temperature(gw_model *model, const gw_temperature_rows *rows) GW_MUST_CHECK;

#endif
