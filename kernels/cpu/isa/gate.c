// SPDX-License-Identifier: MIT
// out = gate * in;   gate_gradient += out_gradient * in;   in_gradient += out_gradient * gate
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_gate_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i += GW_LANES)
        gw_store_some(args->out + i, gw_load_some(args->gate + i, end - i) * gw_load_some(args->in + i, end - i),
                      end - i);
}

// gate_gradient may be out_gradient, which is read first.
static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_gate_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i += GW_LANES) {
        const int64_t left = end - i;
        const gw_f32v dout = gw_load_some(args->out_gradient + i, left);
        gw_f32v of_gate = dout * gw_load_some(args->in + i, left), of_in = dout * gw_load_some(args->gate + i, left);
        if (args->gate_gradient != args->out_gradient) of_gate += gw_load_some(args->gate_gradient + i, left);
        gw_store_some(args->gate_gradient + i, of_gate, left);
        if (!args->overwrites) of_in += gw_load_some(args->in_gradient + i, left);
        gw_store_some(args->in_gradient + i, of_in, left);
    }
}

gw_status GW_KERNEL(gate)(const gw_gate_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(gate_backward)(const gw_gate_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
