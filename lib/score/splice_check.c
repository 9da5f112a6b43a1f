// SPDX-License-Identifier: MIT
// A plain network is made for the check alone.
#include "score/splice_check.h"

#include "base/memory.h"
#include "model/members.h"

#include <math.h>
#include <stdlib.h>

static const float bound[] = {[GW_F32] = 1e-6F, [GW_BF16] = 1e-6F};

static int64_t first_alt(const gw_labelling_window *windows, int64_t count, bool other_length) {
    for (int64_t i = 0; i < count; i++)
        if (windows[i].ref >= 0 && (!other_length || windows[i].length != windows[i].span)) return i;
    return -1;
}

// NaN differs.
static gw_status compare(const float *rows, const float *whole, int64_t count, gw_precision precision) {
    for (int64_t i = 0; i < count; i++) {
        const float difference = fabsf(rows[i] - whole[i]);
        if (difference <= bound[precision]) continue;
        return gw_fail(GW_ERR_RANGE,
                       "a probability of the first alleles is %g off what a whole window gives; use --plain",
                       (double)difference);
    }
    return GW_OK;
}

// ALT's window, and the part of REF's that it stands for.
static gw_status check_one(gw_model *model, int64_t flank, const gw_labelling_window *windows, int64_t alt) {
    const gw_labelling_window *ref = &windows[windows[alt].ref];
    const gw_precision precision = gw_model_member(model, 0)->precision;
    const int64_t offset = windows[alt].offset, classes = model->config.labels;
    gw_labelling_window whole[] = {windows[alt], *ref};
    whole[1].bases += offset;
    whole[1].length = windows[alt].span;
    const int64_t rows[] = {whole[0].length - 2 * flank, whole[1].length - 2 * flank};
    const int64_t longest = whole[0].length > whole[1].length ? whole[0].length : whole[1].length;
    gw_base_network *network;
    const gw_base_network_options options = {.tokens = 1, .longest = longest, .flank = flank};
    GW_TRY(gw_base_network_new(model, &options, &network));
    float *made = gw_alloc((rows[0] + rows[1]) * classes, sizeof *made);
    gw_status status = made ? GW_OK : GW_ERR_MEMORY;
    whole[0].rows = made;
    if (made) whole[1].rows = made + rows[0] * classes;
    if (status == GW_OK) status = gw_base_network_run(network, whole, 2);
    if (status == GW_OK) status = compare(windows[alt].rows, whole[0].rows, rows[0] * classes, precision);
    if (status == GW_OK) status = compare(ref->rows + offset * classes, whole[1].rows, rows[1] * classes, precision);
    free(made);
    gw_base_network_free(network);
    return status;
}

gw_status gw_splice_check(gw_model *model, int64_t flank, const gw_labelling_window *windows, int64_t count) {
    const int64_t any = first_alt(windows, count, false), other = first_alt(windows, count, true);
    if (any >= 0) GW_TRY(check_one(model, flank, windows, any));
    return other >= 0 && other != any ? check_one(model, flank, windows, other) : GW_OK;
}
