// SPDX-License-Identifier: MIT
// Sums of losses over the rows with a label, and the number of rows with the best classes. There are few rows, so one
// thread adds them in order.
#include "kernels/cpu/isa/isa.h"

#include <math.h>

static bool has_label(const gw_loss_sum_args *args, int64_t row) {
    return args->label ? args->label[row * args->parts] >= 0 : !isnan(args->number[row]);
}

static bool is_right(const gw_loss_sum_args *args, int64_t row) {
    if (!args->label) return false;
    bool right = true;
    for (int64_t i = row * args->parts; i < (row + 1) * args->parts; i++) right &= args->label[i] == args->best[i];
    return right;
}

static double mean_loss(const gw_loss_sum_args *args, int64_t row) {
    double sum = 0.0;
    for (int64_t part = 0; part < args->parts; part++) sum += (double)args->loss[row * args->parts + part];
    return sum / (double)args->parts;
}

gw_status GW_KERNEL(loss_sum)(const gw_loss_sum_args *args) {
    gw_loss_sum sum = {0};
    for (int64_t row = 0; row < args->rows; row++) {
        if (!has_label(args, row)) continue;
        sum.loss += mean_loss(args, row);
        sum.count++;
        sum.right += is_right(args, row);
    }
    *args->out = sum;
    return GW_OK;
}
