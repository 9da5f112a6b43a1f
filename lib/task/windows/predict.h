// SPDX-License-Identifier: MIT
// Probabilities for the examples of a labelled set.
#ifndef GW_TASK_WINDOWS_PREDICT_H
#define GW_TASK_WINDOWS_PREDICT_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "task/input.h"

// Fails if the set's windows do not fit the model. Warns if their length differs from that of training.
gw_status gw_check_set_windows(const gw_model *model, const gw_labelled_set *set) GW_MUST_CHECK;

bool gw_reads_both_strands(gw_strands strands, const gw_model *model);

// Predictors of one or several models with the same labels. Their outputs are averaged in order, in single precision.
typedef struct {
    gw_label_predictor **items;
    int count;
} gw_ensemble;
// Fails if models differ from the first in labels, names of labels or windows. Close `out`, also after a failure.
gw_status gw_ensemble_open(gw_model *const *models, int count, const gw_task_input *in, gw_ensemble *out) GW_MUST_CHECK;
void gw_ensemble_close(gw_ensemble *ensemble);

// Probabilities [count][labels] of windows, averaged over the models. `scratch` has the same size and is needed for
// several models. The message of a failure names the window by its index.
gw_status gw_ensemble_run(const gw_ensemble *ensemble, const char *const *bases, const int64_t *lengths, int64_t count,
                          float *scratch, float *mean) GW_MUST_CHECK;

// Predicts examples [first, first + count) into probabilities [count][labels]. Their bases are kept in memory, so count
// should be at most GW_PREDICT_CHUNK.
enum { GW_PREDICT_CHUNK = 256 };
gw_status gw_predict_examples(const gw_ensemble *ensemble, gw_labelled_set *set, int64_t first, int64_t count,
                              float *probabilities) GW_MUST_CHECK;
// Predicts all examples into probabilities [examples][labels], with a progress display of this name (NULL: none).
gw_status gw_predict_set(const gw_ensemble *ensemble, gw_labelled_set *set, const char *shown,
                         float *probabilities) GW_MUST_CHECK;

// The raw logits of all examples, [examples][strands][labels], as in gw_label_predictor_outputs().
gw_status gw_predict_set_outputs(gw_label_predictor *predictor, gw_labelled_set *set, float *outputs) GW_MUST_CHECK;

#endif
