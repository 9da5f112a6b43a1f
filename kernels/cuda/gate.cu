// SPDX-License-Identifier: MIT
// Products of two arrays, number by number.
#include "kernels/cuda/four.h"
#include "kernels/cuda/frame.h"

static __global__ void gate(gw_gate_args a) {
    gpu_for_four(a.count, [&](int64_t i) {
        gpu_four x = gpu_load_four(a.gate, i, a.count);
        const gpu_four in = gpu_load_four(a.in, i, a.count);
        for (int k = 0; k < 4; k++) x.value[k] *= in.value[k];
        gpu_store_four(a.out, i, a.count, x);
    });
}

// All of a thread's four are read before anything is written: gate_gradient may be out_gradient.
static __global__ void gate_backward(gw_gate_args a) {
    const bool replaces = a.gate_gradient == a.out_gradient;
    gpu_for_four(a.count, [&](int64_t i) {
        const gpu_four gate = gpu_load_four(a.gate, i, a.count), in = gpu_load_four(a.in, i, a.count);
        const gpu_four dout = gpu_load_four(a.out_gradient, i, a.count);
        gpu_four dgate = replaces ? gpu_four{} : gpu_load_four(a.gate_gradient, i, a.count);
        gpu_four din = a.overwrites ? gpu_four{} : gpu_load_four(a.in_gradient, i, a.count);
        for (int k = 0; k < 4; k++) {
            dgate.value[k] += dout.value[k] * in.value[k];
            din.value[k] += dout.value[k] * gate.value[k];
        }
        gpu_store_four(a.gate_gradient, i, a.count, dgate);
        gpu_store_four(a.in_gradient, i, a.count, din);
    });
}

GW_CUDA_OP(gate, gw_gate_args) {
    return gw_cuda_launch_elements("gate", gate, gw_cuda_divide(args->count, 4), *args);
}

GW_CUDA_OP(gate_backward, gw_gate_args) {
    return gw_cuda_launch_elements("gate_backward", gate_backward, gw_cuda_divide(args->count, 4), *args);
}
