// SPDX-License-Identifier: MIT
// Losses of profiles of counts. Threads share the sequences. The terms of a sequence's multinomial nearly cancel, so
// sums are in double precision. A sequence's logits are read before their gradient is written, because both may share
// memory.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"

#include <math.h>

// What the gradient of a sequence reads: its rows from the first with a label to the last, and with the margins, none
// where it has no label.
typedef struct {
    int64_t first, end, from, to;
    float largest;     // logit of a label
    double sum, total; // of e^(logit - largest), of the labels
    double apart;      // the mean of the last column - ln(1 + total)
} region;

static float label_of(const gw_profile_loss_args *args, int64_t row, int64_t column) {
    return args->label[row * args->columns + column];
}

static float logit_of(const gw_profile_loss_args *args, int64_t row, int64_t column) {
    return args->logit[row * (args->columns + 1) + column];
}

static region find_region(const gw_profile_loss_args *args, int64_t begin, int64_t end) {
    region r = {.first = end, .end = begin, .largest = -INFINITY};
    for (int64_t row = begin; row < end; row++)
        for (int64_t k = 0; k < args->columns; k++) {
            if (isnan(label_of(args, row, k))) continue;
            if (r.first > row) r.first = row;
            r.end = row + 1;
            r.largest = fmaxf(r.largest, logit_of(args, row, k));
        }
    r.from = r.first - begin > args->margin ? r.first - args->margin : begin;
    r.to = r.first == end ? r.from : end - r.end > args->margin ? r.end + args->margin : end;
    return r;
}

// ln n!; most counts are 0 or 1.
static double log_factorial(double n) {
    int sign;
    return n == 0 || n == 1 ? 0 : lgamma_r(n + 1, &sign);
}

static double loss_of(const gw_profile_loss_args *args, region *r) {
    double factorials = 0, product = 0, count = 0;
    for (int64_t row = r->first; row < r->end; row++)
        for (int64_t k = 0; k < args->columns; k++) {
            const double n = (double)label_of(args, row, k), z = (double)(logit_of(args, row, k) - r->largest);
            if (isnan(n)) continue;
            r->sum += (double)expf((float)z);
            r->total += n;
            product += n * z;
            factorials += log_factorial(n);
        }
    for (int64_t row = r->from; row < r->to; row++) count += (double)logit_of(args, row, args->columns);
    r->apart = count / (double)(r->to - r->from) - log1p(r->total);
    return factorials - log_factorial(r->total) - product + r->total * log(r->sum) +
           (double)args->count_weight * r->apart * r->apart;
}

static void write_gradient(const gw_profile_loss_args *args, const region *r, int64_t begin, int64_t end) {
    const double scale = (double)args->gradient_scale;
    const float of_count = (float)(scale * (double)args->count_weight * 2 * r->apart / (double)(r->to - r->from));
    for (int64_t row = begin; row < end; row++) {
        float *gradient = args->gradient + row * (args->columns + 1);
        for (int64_t k = 0; k < args->columns; k++) {
            const float n = label_of(args, row, k);
            const double share = (double)expf(logit_of(args, row, k) - r->largest) / r->sum;
            gradient[k] = isnan(n) ? 0 : (float)(scale * (r->total * share - (double)n));
        }
        gradient[args->columns] = row >= r->from && row < r->to ? of_count : 0;
    }
}

static void each_sequence(void *context, int64_t first, int64_t last, int thread) {
    const gw_profile_loss_args *args = context;
    (void)thread;
    for (int64_t s = first; s < last; s++) {
        const int64_t begin = args->start[s], end = args->start[s + 1];
        region r = find_region(args, begin, end);
        args->loss[s] = r.from < r.to ? (float)loss_of(args, &r) : NAN;
        if (args->gradient) write_gradient(args, &r, begin, end);
    }
}

gw_status GW_KERNEL(profile_loss)(const gw_profile_loss_args *args) {
    gw_parallel_for(args->sequences, 1, each_sequence, (void *)args);
    return GW_OK;
}
