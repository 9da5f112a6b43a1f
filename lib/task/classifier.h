// SPDX-License-Identifier: MIT
// The model of a run whose head gives labels: a fresh encoder, a pretrained one with a new head, or a classifier of the
// same labels that goes on.
#ifndef GW_TASK_CLASSIFIER_H
#define GW_TASK_CLASSIFIER_H

#include "task/kind.h"

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

#endif
