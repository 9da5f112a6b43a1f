// SPDX-License-Identifier: MIT
// Labels that are measured numbers, as in config.json: their loss and their unit.
//
// A network learns (y - mean) / deviation for each column's number y. Columns of any unit then weigh the same, and
// logits start in the range of the numbers. Under the Poisson loss the logit is a logarithm, the mean is 0, and the
// deviation is the column's mean: y = deviation exp(z).
#ifndef GW_MODEL_NUMBERS_H
#define GW_MODEL_NUMBERS_H

#include "base/json.h"
#include "kernels/number_loss.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    gw_number_loss_kind loss;
    double bend;              // delta of Huber's loss, in deviations; 0: 1
    double *mean, *deviation; // [columns] or NULL: 0 and 1
    double *weight;           // [columns] weights of the losses; NULL: 1 each
    bool shared;              // columns are one number from several sources: logit c is slope_c f + offset_c
} gw_numbers;

#define GW_NUMBER_LOSSES "mse|huber|poisson|gaussian"

// Reads "numbers" of the object `own` of a config.json; it is optional. Free `out`, also after a failure.
gw_status gw_numbers_read(const json_t *own, const char *path, int64_t columns, gw_numbers *out) GW_MUST_CHECK;
json_t *gw_numbers_json(const gw_numbers *numbers, int64_t columns); // NULL: all values are the defaults
gw_status gw_numbers_copy(const gw_numbers *numbers, int64_t columns, gw_numbers *out) GW_MUST_CHECK;
void gw_numbers_free(gw_numbers *numbers);

double gw_numbers_bend(const gw_numbers *numbers);
// Computes mean and deviation of each column of values [rows][columns] for the loss, without NaN. A column without
// numbers or with only one distinct value is an error that names the column; under Poisson a negative number is too.
gw_status gw_numbers_fit(gw_numbers *numbers, const float *values, int64_t rows, int64_t columns,
                         char *const *names) GW_MUST_CHECK;
// standardise: converts a row of numbers to the network's scale, in place. value: converts a logit to a number.
void gw_numbers_standardise(const gw_numbers *numbers, int64_t columns, float *row);
double gw_numbers_value(const gw_numbers *numbers, int64_t column, double logit);

#endif
