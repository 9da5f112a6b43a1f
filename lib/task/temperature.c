// SPDX-License-Identifier: MIT
// Fits, keeps and tells.
#include "task/temperature.h"

#include "base/log.h"

gw_status gw_keep_temperature(gw_model *model, const gw_temperature_rows *rows) {
    gw_temperature fit;
    GW_TRY(gw_temperature_fit(rows, &fit));
    if (!fit.found) {
        gw_note("no temperature: dividing the logits makes no probabilities of the validation set better");
        return GW_OK;
    }
    model->config.temperature = fit.temperature;
    gw_note("temperature %.4g, which divides the logits: the probabilities' loss on the validation set is %.4f (%.4f "
            "without)",
            fit.temperature, fit.loss, fit.at_one);
    return GW_OK;
}
