// SPDX-License-Identifier: MIT
// Sums, means and names.
#include "run/losses.h"

#include <math.h>
#include <string.h>

void gw_losses_add(gw_losses *sum, const gw_losses *losses) {
    sum->mlm_loss += losses->mlm_loss;
    sum->mlm_count += losses->mlm_count;
    sum->mlm_right += losses->mlm_right;
    sum->nsp_loss += losses->nsp_loss;
    sum->nsp_count += losses->nsp_count;
    sum->nsp_right += losses->nsp_right;
}

double gw_mean(double sum, int64_t count) {
    return count > 0 ? sum / (double)count : 0;
}

static void set(json_t *row, const char *prefix, const char *name, double value) {
    char full[64] = "";
    strcat(strcpy(full, prefix), name);
    json_object_set_new(row, full, json_real(value));
}

double gw_losses_report(const gw_losses *sum, const char *prefix, json_t *row) {
    const double mlm = gw_mean(sum->mlm_loss, sum->mlm_count), pair = gw_mean(sum->nsp_loss, sum->nsp_count);
    set(row, prefix, "mlm_loss", mlm);
    set(row, prefix, "mlm_bits", mlm / M_LN2);
    set(row, prefix, "mlm_accuracy", gw_mean((double)sum->mlm_right, sum->mlm_count));
    if (sum->nsp_count == 0) return mlm;
    set(row, prefix, "nsp_loss", pair);
    set(row, prefix, "nsp_accuracy", gw_mean((double)sum->nsp_right, sum->nsp_count));
    return mlm + pair;
}
