// SPDX-License-Identifier: MIT
// Probabilities for the examples of a labelled set.
#ifndef GW_TASK_WINDOWS_PREDICT_H
#define GW_TASK_WINDOWS_PREDICT_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "task/input.h"

// Refuses a set whose windows do not fit the model; warns where they are not as wide as those it was trained on.
gw_status gw_check_set_windows(const gw_model *model, const gw_labelled_set *set) GW_MUST_CHECK;

bool gw_reads_both_strands(gw_strands strands, const gw_model *model);

// Predictors of one or several models with the same labels: what they say is averaged, in single precision, in order.
typedef struct {
    gw_label_predictor **items;
    int count;
} gw_ensemble;
// Refuses models whose labels, names of labels or windows differ from the first's. Close it also after a failure.
gw_status gw_ensemble_open(gw_model *const *models, int count, const gw_task_input *in, gw_ensemble *out) GW_MUST_CHECK;
void gw_ensemble_close(gw_ensemble *ensemble);

// Probabilities [count][labels] of windows: the mean over the models. `scratch`, as large, is used where there are
// several. The message of a failure names the window by its index.
gw_status gw_ensemble_run(const gw_ensemble *ensemble, const char *const *bases, const int64_t *lengths, int64_t count,
                          float *scratch, float *mean) GW_MUST_CHECK;

// Examples [first, first + count) into probabilities [count][labels]; their bases are held, which is to be done for
// GW_PREDICT_CHUNK of them at most.
enum { GW_PREDICT_CHUNK = 256 };
gw_status gw_predict_examples(const gw_ensemble *ensemble, gw_labelled_set *set, int64_t first, int64_t count,
                              float *probabilities) GW_MUST_CHECK;
// Every example, into probabilities [examples][labels], with progress of that name, or none (NULL).
gw_status gw_predict_set(const gw_ensemble *ensemble, gw_labelled_set *set, const char *shown,
                         float *probabilities) GW_MUST_CHECK;

// The network's own logits of every example, [examples][strands][labels], as gw_label_predictor_outputs() has them.
gw_status gw_predict_set_outputs(gw_label_predictor *predictor, gw_labelled_set *set, float *outputs) GW_MUST_CHECK;

#endif
