// SPDX-License-Identifier: MIT
// Losses of pretraining as a line of metrics says them.
#ifndef GW_RUN_LOSSES_H
#define GW_RUN_LOSSES_H

#include "base/json.h"
#include "network/network.h"

double gw_mean(double sum, int64_t count); // 0 of nothing
// Sets means under names that begin with `prefix`: mlm_loss, mlm_bits (the same to base 2), mlm_accuracy and, where
// there were pairs, nsp_loss and nsp_accuracy, and where encodings were predicted contrast_loss and contrast_accuracy.
// Returns the sum of the former two losses.
double gw_losses_report(const gw_losses *sum, const char *prefix, json_t *row);

#endif
