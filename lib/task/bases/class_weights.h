// SPDX-License-Identifier: MIT
// How frequent classes of bases are, and what they weigh in the training loss.
//
// A class of frequency f weighs, by "balanced", 1 / f, and by "root" 1 / sqrt f, times what makes the mean weight of a
// base 1; where classes overlap, its bases weigh (1 - f) / f, or the root of that, within 1/100 and 100, and all others
// 1. Rare classes then count for more, and probabilities stay what they are, since the logarithm of the weight is taken
// off the logit (network/base_network.h).
#ifndef GW_TASK_BASES_CLASS_WEIGHTS_H
#define GW_TASK_BASES_CLASS_WEIGHTS_H

#include "model/model.h"
#include "task/bases/base_set.h"

// *frequency [classes], of the set's bases; free() it, also on failure.
gw_status gw_base_frequencies(const gw_base_set *set, int64_t classes, double **frequency) GW_MUST_CHECK;

// Sets config->positive_weights: "balanced", "root", or a number for each class, none first, between commas.
gw_status gw_check_class_weights(const char *weights) GW_MUST_CHECK;
gw_status gw_weigh_classes(const char *weights, const double *frequency, gw_config *config) GW_MUST_CHECK;

// A fresh head begins by knowing how frequent each class is, so that rare ones do not begin with a large loss (Lin et
// al., 2017, section 4.1): its biases, which are 0, become those logits. One that goes on stays as it is.
void gw_begin_with_frequencies(const gw_model *model, const double *frequency);

// The mean training loss of a model that knows nothing else.
double gw_base_chance(const gw_config *config, const double *frequency, double focus);

#endif
