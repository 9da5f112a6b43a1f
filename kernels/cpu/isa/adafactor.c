// SPDX-License-Identifier: MIT
// Adafactor without a first moment (Shazeer & Stern, 2018), for a matrix or, with one row and no row moments, a vector:
//   S = g^2 + epsilon;  r_i, c_j: means of S over columns and over rows, moving at the rate d
//   x_ij = g_ij / sqrt(r_i c_j / mean(r));  w -= rate size x / max(1, rms(x) / threshold)
// One thread computes the sum over a row, or over a column. The totals are summed in row order.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"
#include "kernels/cpu/isa/vmath.h"

#include <math.h>

enum { VALUES = 1 << 15 }; // of a thread's share

typedef struct {
    const gw_adafactor_args *args;
    float *weights, *updates; // [R] sums of squares of a row's weights and of its x
    double mean_row;          // mean(r), 1 of a vector
    float rate;               // with size and bound
} job;

static float row_share(const job *j, int64_t row) {
    return j->args->row_moment ? (float)sqrt(j->mean_row / (double)j->args->row_moment[row]) : 1.0f;
}

static void sum_rows(void *context, int64_t begin, int64_t end, int thread) {
    const job *j = context;
    const gw_adafactor_args *args = j->args;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const float *w = args->weight + row * args->columns, *gradient = args->gradient + row * args->columns;
        gw_f32v weights = {0}, squares = {0};
        for (int64_t i = 0; i < args->columns; i += GW_LANES) {
            const gw_f32v v = gw_load_some(w + i, args->columns - i);
            const gw_f32v g = gw_load_some(gradient + i, args->columns - i) * args->norm->scale;
            weights += v * v;
            squares += g * g;
        }
        j->weights[row] = gw_sum(weights);
        if (!args->row_moment) continue;
        const float mean = gw_sum(squares) / (float)args->columns + args->epsilon;
        args->row_moment[row] = args->decay * args->row_moment[row] + (1.0f - args->decay) * mean;
    }
}

static void sum_columns(void *context, int64_t begin, int64_t end, int thread) {
    const gw_adafactor_args *args = ((const job *)context)->args;
    (void)thread;
    for (int64_t group = begin; group < end; group++) {
        const int64_t first = group * GW_LANES, left = args->columns - first;
        gw_f32v squares = {0};
        for (int64_t row = 0; row < args->rows; row++) {
            const gw_f32v g = gw_load_some(args->gradient + row * args->columns + first, left) * args->norm->scale;
            squares += g * g;
        }
        const gw_f32v mean = squares / (float)args->rows + args->epsilon;
        const gw_f32v before = gw_load_some(args->column_moment + first, left);
        gw_store_some(args->column_moment + first, args->decay * before + (1.0f - args->decay) * mean, left);
    }
}

// g_ij / sqrt(c_j) from column i on. Lanes behind the last column are 0 / 1.
GW_INLINE gw_f32v by_column(const gw_adafactor_args *args, int64_t row, int64_t i) {
    const int64_t left = args->columns - i;
    gw_f32v moment = gw_load_some(args->column_moment + i, left);
    for (int64_t lane = left; lane < GW_LANES; lane++) moment[lane] = 1.0f;
    return gw_load_some(args->gradient + row * args->columns + i, left) * args->norm->scale / gw_sqrt(moment);
}

static void sum_updates(void *context, int64_t begin, int64_t end, int thread) {
    const job *j = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const float share = row_share(j, row);
        gw_f32v squares = {0};
        for (int64_t i = 0; i < j->args->columns; i += GW_LANES) {
            const gw_f32v x = by_column(j->args, row, i) * share;
            squares += x * x;
        }
        j->updates[row] = gw_sum(squares);
    }
}

static void update_rows(void *context, int64_t begin, int64_t end, int thread) {
    const job *j = context;
    const gw_adafactor_args *args = j->args;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        float *w = args->weight + row * args->columns;
        const float factor = j->rate * row_share(j, row);
        for (int64_t i = 0; i < args->columns; i += GW_LANES) {
            const int64_t left = args->columns - i;
            gw_store_some(w + i, gw_load_some(w + i, left) - factor * by_column(args, row, i), left);
        }
    }
}

static double sum(const float *of, int64_t count) {
    double total = 0.0;
    for (int64_t i = 0; i < count; i++) total += (double)of[i];
    return total;
}

gw_status GW_KERNEL(adafactor)(const gw_adafactor_args *args) {
    const int64_t grain = args->columns < VALUES ? VALUES / args->columns : 1;
    const double values = (double)args->rows * (double)args->columns;
    job j = {.args = args, .weights = args->scratch, .updates = args->scratch + args->rows, .mean_row = 1};
    if (!isfinite(args->norm->norm)) return GW_OK;
    gw_parallel_for(args->rows, grain, sum_rows, &j);
    gw_parallel_for((args->columns + GW_LANES - 1) / GW_LANES, 1, sum_columns, &j);
    if (args->row_moment) j.mean_row = sum(args->row_moment, args->rows) / (double)args->rows;
    gw_parallel_for(args->rows, grain, sum_updates, &j);
    const double size = fmax((double)args->least_size, sqrt(sum(j.weights, args->rows) / values)),
                 bound = fmax(1.0, sqrt(sum(j.updates, args->rows) / values) / (double)args->threshold);
    j.rate = (float)((double)args->rate * (args->least_size > 0 ? size : 1.0) / bound);
    gw_parallel_for(args->rows, grain, update_rows, &j);
    return GW_OK;
}
