// SPDX-License-Identifier: MIT
// What config.json says of labels that are measured numbers: how they are learned, and in what unit.
//
// A network learns (y - mean) / deviation of each column's number y, so that columns of any unit weigh the same and its
// logits begin where the numbers are. Under the Poisson loss, whose logit is a logarithm, the mean is 0 and the
// deviation the column's mean: y = deviation exp(z).
#ifndef GW_MODEL_NUMBERS_H
#define GW_MODEL_NUMBERS_H

#include "base/json.h"
#include "kernels/number_loss.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    gw_number_loss_kind loss;
    double bend;              // of Huber's loss, in deviations; 0: 1
    double *mean, *deviation; // [columns] or NULL: 0 and 1
    double *weight;           // [columns] of the losses; NULL: 1 each
    bool shared;              // columns are one number as several sources have it: logit c is slope_c f + offset_c
} gw_numbers;

#define GW_NUMBER_LOSSES "mse|huber|poisson|gaussian"

// "numbers" of the object `own` of a config.json, which may lack it. Free it, also after failure.
gw_status gw_numbers_read(const json_t *own, const char *path, int64_t columns, gw_numbers *out) GW_MUST_CHECK;
json_t *gw_numbers_json(const gw_numbers *numbers, int64_t columns); // NULL: nothing differs from what is absent
gw_status gw_numbers_copy(const gw_numbers *numbers, int64_t columns, gw_numbers *out) GW_MUST_CHECK;
void gw_numbers_free(gw_numbers *numbers);

double gw_numbers_bend(const gw_numbers *numbers);
// Mean and deviation of each column of values [rows][columns], NaN left out, as the loss has them. A column without a
// number or with one value alone, and under Poisson a negative number, is an error that names it.
gw_status gw_numbers_fit(gw_numbers *numbers, const float *values, int64_t rows, int64_t columns,
                         char *const *names) GW_MUST_CHECK;
// A row of numbers as the network learns them, in place; and the number that a logit means.
void gw_numbers_standardise(const gw_numbers *numbers, int64_t columns, float *row);
double gw_numbers_value(const gw_numbers *numbers, int64_t column, double logit);

#endif
