// SPDX-License-Identifier: MIT
// The training loss of labels from probabilities, and what knowing nothing but how frequent each label is costs.
#ifndef GW_TASK_WINDOWS_LABEL_LOSS_H
#define GW_TASK_WINDOWS_LABEL_LOSS_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "model/config.h"

// The logit z behind a probability p is ln(p / (1 - p)) + ln w (label_predictor.h takes ln w off), so that the weighted
// cross entropy is
//   -w y ln(w p / (w p + 1 - p)) - (1 - y) ln((1 - p) / (w p + 1 - p)),  p clipped to [1e-7, 1 - 1e-7].
// Its mean over labels of frequency f is least at p = f: that is what the constant predictor costs.
double gw_label_loss(double probability, double label, double positive_weight);

// frequency[labels]: the mean of each label over the examples where it is not missing; 0 of none.
gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) GW_MUST_CHECK;

// The mean of gw_label_loss() over the values [examples][labels] that are not missing, 0 of none; one probability for
// each value, or (constant) one for each label.
double gw_label_loss_of(const gw_config *config, const float *values, int64_t examples, const float *probability);
double gw_label_loss_of_constant(const gw_config *config, const float *values, int64_t examples,
                                 const double *probability);

#endif
