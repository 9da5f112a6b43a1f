// SPDX-License-Identifier: MIT
// The convolution slots of a CPU backend.
#include "kernels/cpu/isa/convolution_depthwise.h"
#include "kernels/cpu/isa/convolution_few.h"
#include "kernels/cpu/isa/isa.h"

#ifdef __x86_64__
#include "kernels/cpu/isa/convolution_bf16.h"
#endif

static void run(conv_taps t) {
    if (conv_is_depthwise(t.args)) {
        conv_run_depthwise(&t);
        return;
    }
#ifdef __x86_64__
    if (gw_convolution_packs(t.args)) {
        conv_run_bf16(&t);
        return;
    }
#endif
    if (gw_convolution_is_few(t.args, t.columns)) conv_run_few(&t);
    else conv_run_f32(&t);
}

static void run_weights(const gw_convolution_args *args) {
    if (conv_is_depthwise(args)) {
        conv_run_depthwise_weights(args);
        return;
    }
#ifdef __x86_64__
    if (gw_convolution_packs(args)) {
        conv_run_weights_bf16(args);
        return;
    }
#endif
    conv_run_weights_f32(args);
}

gw_status GW_KERNEL(convolution)(const gw_convolution_args *args) {
    run(conv_forward(args));
    return GW_OK;
}

gw_status GW_KERNEL(convolution_backward)(const gw_convolution_args *args) {
    run(conv_back(args));
    run_weights(args);
    return GW_OK;
}
