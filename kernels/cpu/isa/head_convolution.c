// SPDX-License-Identifier: MIT
// head_convolution and its backward pass. Threads share the rows of a sequence; in the backward pass of weights they
// share the heads, and sum in row order.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"

#include <string.h>

typedef struct {
    const gw_head_convolution_args *args;
    int64_t first, end; // rows of the sequence
} sequence;

// to[i] += sum over t of weight[t] from[i + t - middle], or the other way round.
static void add_rows(const sequence *s, int64_t row, bool turned, const float *from, float *to) {
    const gw_head_convolution_args *args = s->args;
    const int64_t width = args->heads * args->size, middle = (args->taps - 1) / 2;
    for (int64_t t = 0; t < args->taps; t++) {
        const int64_t other = turned ? row - t + middle : row + t - middle;
        if (other < s->first || other >= s->end) continue;
        for (int64_t h = 0; h < args->heads; h++)
            gw_add_row(to + row * width + h * args->size, from + other * width + h * args->size,
                       args->weight[h * args->taps + t], args->size);
    }
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const sequence *s = context;
    const int64_t width = s->args->heads * s->args->size;
    (void)thread;
    for (int64_t i = s->first + begin; i < s->first + end; i++) {
        memset(s->args->out + i * width, 0, (size_t)width * sizeof(float));
        add_rows(s, i, false, s->args->in, s->args->out);
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const sequence *s = context;
    (void)thread;
    for (int64_t i = s->first + begin; i < s->first + end; i++)
        add_rows(s, i, true, s->args->out_gradient, s->args->in_gradient);
}

// Of weights, which are [heads][taps] items.
static void weight_backward(void *context, int64_t begin, int64_t end, int thread) {
    const sequence *s = context;
    const gw_head_convolution_args *args = s->args;
    const int64_t width = args->heads * args->size, middle = (args->taps - 1) / 2;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t head = item / args->taps * args->size, shift = item % args->taps - middle;
        const int64_t from = shift < 0 ? s->first - shift : s->first, to = shift > 0 ? s->end - shift : s->end;
        double sum = 0;
        for (int64_t i = from; i < to; i++)
            sum += (double)gw_row_product(args->out_gradient + i * width + head, args->in + (i + shift) * width + head,
                                          args->size);
        args->weight_gradient[item] += (float)sum;
    }
}

enum { ROWS_A_CHUNK = 32 };

gw_status GW_KERNEL(head_convolution)(const gw_head_convolution_args *args) {
    for (int64_t s = 0; s < args->sequences; s++) {
        sequence of = {args, args->start[s], args->start[s + 1]};
        gw_parallel_for(of.end - of.first, ROWS_A_CHUNK, forward, &of);
    }
    return GW_OK;
}

gw_status GW_KERNEL(head_convolution_backward)(const gw_head_convolution_args *args) {
    for (int64_t s = 0; s < args->sequences; s++) {
        sequence of = {args, args->start[s], args->start[s + 1]};
        gw_parallel_for(of.end - of.first, ROWS_A_CHUNK, backward, &of);
        gw_parallel_for((int64_t)args->heads * args->taps, 1, weight_backward, &of);
    }
    return GW_OK;
}
