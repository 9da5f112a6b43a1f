// SPDX-License-Identifier: MIT
// How far AUROC may be off because the examples are these and not others (DeLong, DeLong and Clarke-Pearson 1988).
//
// With P positives, N negatives and A the AUROC, V of a positive is the share of negatives that it beats, ties counted
// half, and V of a negative the share of positives that beat it. The variance of A is
//   sum over positives of (V - A)^2 / (P (P - 1)) + sum over negatives of (V - A)^2 / (N (N - 1)),
// so that each example has a share, (V - A) / sqrt(P (P - 1)) or (V - A) / sqrt(N (N - 1)), and the variance is the sum
// of their squares. Shares of one example add up: over targets, to the error of a mean, and with the other's sign, to
// that of the difference between two models.
#ifndef GW_MEASURE_AUROC_ERROR_H
#define GW_MEASURE_AUROC_ERROR_H

#include "base/status.h"

#include <stdint.h>

// Adds `weight` times each example's share to share[count]; pairs as for gw_metric_compute(). Nothing is added, and
// *known stays, where there are fewer than two positives or two negatives; otherwise *known counts one more.
gw_status gw_auroc_shares_add(const float *probability, const float *label, int64_t count, int64_t stride,
                              double weight, double *share, int64_t *known) GW_MUST_CHECK;

// The standard error of what the shares are of; with `other` (NULL: none), of the difference between the two.
double gw_auroc_error(const double *share, const double *other, int64_t count);

#endif
