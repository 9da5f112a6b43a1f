// SPDX-License-Identifier: MIT
// Golden-section search over ln T. On one strand the loss is convex in 1/T, so there is one minimum. Sums are made
// block by block and added in order, so that bits do not depend on the number of threads.
#include "measure/temperature.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 4096 }; // rows summed at a time
static const double MOST = 100, NARROW = 1e-5;

typedef struct {
    const gw_temperature_rows *rows;
    double temperature;
    double *loss;   // [blocks]
    int64_t *count; // [blocks] labels that are not missing
} loss_job;

static double softplus(double z) {
    return fmax(z, 0) + log1p(exp(-fabs(z)));
}

static double log_of_sum(double a, double b) {
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

// -y ln P - (1 - y) ln (1 - P) of a label, P the mean over strands; z[strand * stride].
static double independent_loss(const loss_job *job, const float *z, int64_t stride, double shift, double y) {
    double yes = 0, no = 0;
    for (int s = 0; s < job->rows->strands; s++) {
        const double scaled = ((double)z[s * stride] - shift) / job->temperature;
        yes = s == 0 ? -softplus(-scaled) : log_of_sum(yes, -softplus(-scaled));
        no = s == 0 ? -softplus(scaled) : log_of_sum(no, -softplus(scaled));
    }
    return log(job->rows->strands) - y * yes - (1 - y) * no;
}

static double exclusive_loss(const loss_job *job, const float *z, int32_t label) {
    double top = -INFINITY, sum = 0;
    for (int64_t l = 0; l < job->rows->labels; l++) top = fmax(top, (double)z[l]);
    for (int64_t l = 0; l < job->rows->labels; l++) sum += exp(((double)z[l] - top) / job->temperature);
    return log(sum) - ((double)z[label] - top) / job->temperature;
}

static double row_loss(const loss_job *job, int64_t row, int64_t *count) {
    const gw_temperature_rows *r = job->rows;
    const float *z = r->logit + row * r->strands * r->labels;
    double sum = 0;
    if (r->label) {
        *count += r->label[row] >= 0;
        return r->label[row] >= 0 ? exclusive_loss(job, z, r->label[row]) : 0;
    }
    for (int64_t l = 0; l < r->labels; l++) {
        const double y = (double)r->value[row * r->labels + l];
        if (isnan(y)) continue;
        sum += independent_loss(job, z + l, r->labels, r->shift[l], y);
        ++*count;
    }
    return sum;
}

static void sum_blocks(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const loss_job *job = context;
    for (int64_t b = begin; b < end; b++) {
        const int64_t last = (b + 1) * BLOCK < job->rows->rows ? (b + 1) * BLOCK : job->rows->rows;
        job->loss[b] = 0;
        job->count[b] = 0;
        for (int64_t row = b * BLOCK; row < last; row++) job->loss[b] += row_loss(job, row, &job->count[b]);
    }
}

// The mean loss at exp(at); NaN where every label is missing.
static double loss_at(loss_job *job, double at) {
    const int64_t blocks = (job->rows->rows + BLOCK - 1) / BLOCK;
    double sum = 0;
    int64_t count = 0;
    job->temperature = exp(at);
    gw_parallel_for(blocks, 1, sum_blocks, job);
    for (int64_t b = 0; b < blocks; b++) sum += job->loss[b], count += job->count[b];
    return sum / (double)count;
}

static double least_between(loss_job *job, double low, double high) {
    const double golden = (sqrt(5) - 1) / 2;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = loss_at(job, a), at_b = loss_at(job, b);
    while (high - low > NARROW) {
        if (at_a <= at_b) {
            high = b, b = a, at_b = at_a;
            at_a = loss_at(job, a = high - golden * (high - low));
        } else {
            low = a, a = b, at_a = at_b;
            at_b = loss_at(job, b = low + golden * (high - low));
        }
    }
    return (low + high) / 2;
}

// Five digits, which is what the sections tell.
static double rounded(double temperature) {
    const double unit = pow(10, floor(log10(temperature)) - 4);
    return round(temperature / unit) * unit;
}

gw_status gw_temperature_fit(const gw_temperature_rows *rows, gw_temperature *out) {
    const int64_t blocks = (rows->rows + BLOCK - 1) / BLOCK;
    loss_job job = {
        .rows = rows, .loss = gw_alloc(blocks + 1, sizeof *job.loss), .count = gw_alloc(blocks + 1, sizeof *job.count)};
    *out = (gw_temperature){.temperature = 1};
    if (job.loss && job.count) {
        out->at_one = out->loss = loss_at(&job, 0);
        const double at = least_between(&job, -log(MOST), log(MOST)), best = rounded(exp(at));
        const double loss = loss_at(&job, log(best));
        out->found = loss < out->at_one && at > -log(MOST) + 2 * NARROW;
        if (out->found) out->temperature = best, out->loss = loss;
    }
    const gw_status status = job.loss && job.count ? GW_OK : GW_ERR_MEMORY;
    free(job.loss);
    free(job.count);
    return status;
}
