// SPDX-License-Identifier: MIT
// Rows against rows.
#include "score/splice_delta.h"

#include "model/family.h"

#include <string.h>

int64_t gw_scored_classes(const gw_config *config) {
    return gw_family_of(config->family)->answer ? 2 : config->labels;
}

static float *copy_rows(const gw_splice_rows *of, int64_t from, int64_t to, float *out) {
    const int64_t count = to > from ? (to - from) * of->classes : 0;
    memcpy(out, of->alt + from * of->classes, (size_t)count * sizeof *out);
    return out + count;
}

// The maximum of rows, class by class.
static float *join_rows(const gw_splice_rows *of, int64_t from, int64_t to, float *out) {
    float *end = copy_rows(of, from, from + 1, out);
    for (int64_t row = from + 1; row < to; row++)
        for (int64_t c = 0; c < of->classes; c++) {
            const float value = of->alt[row * of->classes + c];
            if (value > out[c]) out[c] = value;
        }
    return end;
}

void gw_splice_align(const gw_splice_rows *of, float *aligned) {
    const int64_t r = of->ref_length, a = of->alt_length, all = of->rows - r + a, end = of->distance + a;
    if (a > r) {
        const int64_t last = of->distance + r - 1;
        float *at = copy_rows(of, 0, last, aligned);
        at = join_rows(of, last, end, at);
        copy_rows(of, end, all, at);
        return;
    }
    // Where more than D bases are deleted, and the rows of REF reach no further than D, those of ALT end before POS.
    const int64_t before = end < all ? end : all, gone = (r - a) * of->classes;
    float *at = copy_rows(of, 0, before, aligned);
    memset(at, 0, (size_t)gone * sizeof *at);
    copy_rows(of, before, all, at + gone);
}

// The largest difference of a class, times `sign`: values 0, n, 2 n and 3 n from there on, n gains and losses.
static void find_largest(const gw_splice_rows *of, const float *aligned, int64_t class, int sign, float *values) {
    const int64_t n = gw_gains_and_losses(of->classes);
    for (int64_t row = 0; row < of->rows; row++) {
        const int64_t i = row * of->classes + class;
        const float difference = sign > 0 ? aligned[i] - of->ref[i] : of->ref[i] - aligned[i];
        if (row > 0 && !(difference > *values)) continue;
        values[0] = difference;
        values[n] = (float)(row - of->distance);
        values[2 * n] = of->ref[i];
        values[3 * n] = aligned[i];
    }
}

void gw_splice_delta(const gw_splice_rows *of, const float *aligned, float *values) {
    for (int64_t i = 0; i < gw_gains_and_losses(of->classes); i++)
        find_largest(of, aligned, 1 + i / 2, i % 2 == 0 ? 1 : -1, &values[i]);
}

void gw_splice_answer(const gw_splice_rows *of, const float *aligned, const bool *boundary, float *values) {
    const gw_base_rows rows = {.config = of->config,
                               .ref = of->ref,
                               .alt = aligned,
                               .rows = of->rows,
                               .at = of->distance,
                               .boundary = boundary};
    gw_family_of(of->config->family)->answer->change(&rows, values);
}

void gw_splice_mask(int64_t boundary, float values[GW_SPLICE_VALUES]) {
    for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++) {
        const bool there = (int64_t)values[GW_SPLICE_GAINS_AND_LOSSES + i] == boundary, gain = i % 2 == 0;
        if (there == gain) values[i] *= 0;
    }
}
