// SPDX-License-Identifier: MIT
// Sums, means and names.
#include "run/losses.h"

#include <math.h>
#include <string.h>

double gw_mean(double sum, int64_t count) {
    return count > 0 ? sum / (double)count : 0;
}

static void set(json_t *row, const char *prefix, const char *name, double value) {
    char full[64] = "";
    strcat(strcpy(full, prefix), name);
    json_object_set_new(row, full, json_real(value));
}

double gw_losses_report(const gw_losses *sum, const char *prefix, json_t *row) {
    const gw_loss_sum *masked = &sum->of[GW_ROWS_MASKED], *pairs = &sum->of[GW_ROWS_FIRST],
                      *contrasts = &sum->of[GW_ROWS_PREDICTED];
    const double mlm = gw_mean(masked->loss, masked->count), pair = gw_mean(pairs->loss, pairs->count);
    set(row, prefix, "mlm_loss", mlm);
    set(row, prefix, "mlm_bits", mlm / M_LN2);
    set(row, prefix, "mlm_accuracy", gw_mean((double)masked->right, masked->count));
    if (contrasts->count > 0) {
        set(row, prefix, "contrast_loss", contrasts->loss / (double)contrasts->count);
        set(row, prefix, "contrast_accuracy", (double)contrasts->right / (double)contrasts->count);
    }
    if (pairs->count == 0) return mlm;
    set(row, prefix, "nsp_loss", pair);
    set(row, prefix, "nsp_accuracy", gw_mean((double)pairs->right, pairs->count));
    return mlm + pair;
}
