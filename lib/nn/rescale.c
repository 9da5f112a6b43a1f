// SPDX-License-Identifier: MIT
// A step's own backward step runs first. Values with a special rule then replace its results.
#include "nn/rescale.h"

#include "base/memory.h"
#include "base/number.h"
#include "nn/convolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float smallest = 1e-6F; // difference whose quotient is taken

static bool is_named(const gw_step *step, const char *name) {
    return strcmp(step->op->name, name) == 0;
}

gw_status gw_slope_backward(const gw_run *run, const gw_step *step) {
    return step->op->backward(run, step);
}

// Each value of its own.
static void rescale(const gw_run *run, const gw_step *step, const float *before) {
    const gw_tensor in = step->in[0], out = step->out[0];
    const int64_t half = gw_run_rows(run, in) * in.width / 2;
    const float *x = gw_value(run, in), *y = gw_value(run, out), *above = gw_gradient(run, out);
    float *below = gw_gradient(run, in);
    for (int64_t i = 0; i < half; i++) {
        const float off = x[i] - x[half + i];
        if (fabsf(off) < smallest) continue;
        const float multiplier = (y[i] - y[half + i]) / off;
        below[i] = before[i] + above[i] * multiplier;
        below[half + i] = before[half + i] + above[half + i] * multiplier;
    }
}

// The row of [begin, end) with the largest value of a column, the first of equal ones.
static int64_t largest(const float *x, int64_t begin, int64_t end, int64_t width, int64_t column) {
    int64_t best = begin;
    for (int64_t r = begin + 1; r < end; r++)
        if (x[r * width + column] > x[best * width + column]) best = r;
    return best;
}

static gw_status rescale_pool(const gw_run *run, const gw_step *step, const float *before) {
    const gw_tensor in = step->in[0], out = step->out[0];
    const gw_rows *finer = gw_run_inputs(run, in.rows), *coarser = gw_run_inputs(run, out.rows);
    const int64_t pairs = finer->sequences / 2, width = in.width, factor = gw_pool_step_factor(step);
    const int64_t rows = finer->start[pairs], out_rows = coarser->start[pairs];
    const float *x = gw_value(run, in), *y = gw_value(run, out), *above = gw_gradient(run, out);
    float *below = gw_gradient(run, in), *routed = gw_alloc(rows * width, sizeof *routed);
    if (!routed) return GW_ERR_MEMORY;
    for (int64_t s = 0; s < pairs; s++)
        for (int64_t r = coarser->start[s]; r < coarser->start[s + 1]; r++)
            for (int64_t c = 0; c < width; c++) {
                const int64_t begin = finer->start[s] + (r - coarser->start[s]) * factor,
                              end = gw_min(begin + factor, finer->start[s + 1]);
                const int64_t own = r * width + c, other = (out_rows + r) * width + c;
                const float most = fmaxf(y[own], y[other]);
                routed[largest(x, begin, end, width, c) * width + c] += (most - y[other]) * above[own];
                routed[(largest(x + rows * width, begin, end, width, c)) * width + c] += (y[own] - most) * above[other];
            }
    for (int64_t i = 0; i < rows * width; i++) {
        const float off = x[i] - x[rows * width + i];
        const float slope = below[i] - before[i]; // of the sequence's half
        const float multiplier = off == 0 ? slope : routed[i] / off;
        below[i] = before[i] + multiplier;
        below[rows * width + i] = before[rows * width + i] + multiplier;
    }
    free(routed);
    return GW_OK;
}

gw_status gw_rescale_backward(const gw_run *run, const gw_step *step) {
    const bool own = is_named(step, "activation") || is_named(step, "affine"), pools = is_named(step, "pool");
    if ((!own && !(pools && step->op->reads_in)) || step->ins != 1) return gw_slope_backward(run, step);
    const int64_t floats = gw_run_rows(run, step->in[0]) * step->in[0].width;
    float *before = gw_alloc(floats, sizeof *before);
    if (!before) return GW_ERR_MEMORY;
    memcpy(before, gw_gradient(run, step->in[0]), (size_t)floats * sizeof *before);
    gw_status status = gw_slope_backward(run, step);
    if (status == GW_OK && own) rescale(run, step, before);
    if (status == GW_OK && !own) status = rescale_pool(run, step, before);
    free(before);
    return status;
}
