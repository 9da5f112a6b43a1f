// SPDX-License-Identifier: MIT
// The number that the logits of a trained classifier are best divided by.
#ifndef GW_TASK_TEMPERATURE_H
#define GW_TASK_TEMPERATURE_H

#include "measure/temperature.h"
#include "model/model.h"

// Fits it to a validation set's logits, keeps it in the model's config where there is one, and notes it.
gw_status gw_keep_temperature(gw_model *model, const gw_temperature_rows *rows) GW_MUST_CHECK;

#endif
