// SPDX-License-Identifier: MIT
// The model of a run whose head gives labels: a fresh encoder, a pretrained one with a new head, or a classifier of the
// same labels that goes on.
#ifndef GW_TASK_CLASSIFIER_H
#define GW_TASK_CLASSIFIER_H

#include "measure/temperature.h"
#include "model/model.h"
#include "task/finetune.h"
#include "task/kind.h"

#include <stddef.h>

// Puts what the sets say of the labels into the classifier's config, whose task, head and problem are there.
typedef gw_status gw_describe_labels(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config);

// Makes run->model. `letters`: a fresh encoder without a tokenizer of its own reads single letters.
gw_status gw_classifier_make(gw_finetune_run *run, bool letters, gw_describe_labels *describe) GW_MUST_CHECK;
// Makes the config's labels, of these names in their order.
gw_status gw_classifier_name_labels(gw_config *config, int64_t labels,
                                    const char *(*name)(const void *set, int64_t label), const void *set) GW_MUST_CHECK;
// What a run of classifiers shares with the one it goes on from, but for what its kind adds: numbers of examples, and
// that of the metric by which an epoch is best.
void gw_classifier_print(const gw_finetune_run *run, int64_t examples, int64_t valid, int metric, gw_string *out);

// What kinds of tasks do with options: presets fill what was not given, and what does not go together is refused.

#define GW_GIVEN(options, field) ((options)->given && (options)->given(offsetof(gw_finetune_options, field)))
#define GW_UNLESS_GIVEN(options, field, value)                                                                         \
    do {                                                                                                               \
        if (!GW_GIVEN(options, field)) (options)->field = (value);                                                     \
    } while (0)

// Fails: --metric is not one of the task.
gw_status gw_refuse_metric(const gw_finetune_options *options) GW_MUST_CHECK;
// Fails where a baseline is asked for that is not `own`, the one of the kind (GW_BASELINE_NONE: it has none), or where
// there is nothing to choose it by.
gw_status gw_check_baseline(const gw_finetune_options *options, gw_baseline own) GW_MUST_CHECK;

// A number of 1e-6 to 1e6 for each of `count` columns or classes, between commas; free(*out). `option` is for messages.
gw_status gw_read_weights(const char *option, const char *text, int64_t count, double **out) GW_MUST_CHECK;

// Fits the number that the logits of a trained classifier are best divided by to a validation set's logits, keeps it in
// the model's config where there is one, and notes it.
gw_status gw_keep_temperature(gw_model *model, const gw_temperature_rows *rows) GW_MUST_CHECK;

#endif
