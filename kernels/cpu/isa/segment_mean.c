// SPDX-License-Identifier: MIT
// segment_mean and its backward pass. Threads share the segments of a sequence, one sequence after another.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"

#include <string.h>

typedef struct {
    const gw_segment_mean_args *args;
    int64_t first, rows, first_segment, segments; // of the sequence
} sequence;

static sequence sequence_of(const gw_segment_mean_args *args, int64_t s) {
    return (sequence){args, args->start[s], args->start[s + 1] - args->start[s], args->out_start[s],
                      args->out_start[s + 1] - args->out_start[s]};
}

// The first row of segment j.
static int64_t begin_of(const sequence *s, int64_t j) {
    return s->first + j * s->rows / s->segments;
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const sequence *s = context;
    const int64_t width = s->args->width;
    (void)thread;
    for (int64_t j = begin; j < end; j++) {
        float *out = s->args->out + (s->first_segment + j) * width;
        const int64_t from = begin_of(s, j), to = begin_of(s, j + 1);
        memset(out, 0, (size_t)width * sizeof *out);
        for (int64_t i = from; i < to; i++) gw_add_row(out, s->args->in + i * width, 1.0f / (float)(to - from), width);
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const sequence *s = context;
    const int64_t width = s->args->width;
    (void)thread;
    for (int64_t j = begin; j < end; j++) {
        const float *gradient = s->args->out_gradient + (s->first_segment + j) * width;
        const int64_t from = begin_of(s, j), to = begin_of(s, j + 1);
        for (int64_t i = from; i < to; i++)
            gw_add_row(s->args->in_gradient + i * width, gradient, 1.0f / (float)(to - from), width);
    }
}

static gw_status each_sequence(const gw_segment_mean_args *args,
                               void (*work)(void *context, int64_t begin, int64_t end, int thread)) {
    for (int64_t s = 0; s < args->sequences; s++) {
        sequence of = sequence_of(args, s);
        gw_parallel_for(of.segments, 8, work, &of);
    }
    return GW_OK;
}

gw_status GW_KERNEL(segment_mean)(const gw_segment_mean_args *args) {
    return each_sequence(args, forward);
}

gw_status GW_KERNEL(segment_mean_backward)(const gw_segment_mean_args *args) {
    return each_sequence(args, backward);
}
