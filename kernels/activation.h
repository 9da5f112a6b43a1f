// SPDX-License-Identifier: MIT
// The activations that ops apply, alone or on the way.
#ifndef GW_KERNELS_ACTIVATION_H
#define GW_KERNELS_ACTIVATION_H

// GELU in its tanh form, exactly, and as x times the logistic function of 1.702 x; SiLU is x times the logistic
// function of x. ELU + 1 is x + 1, of negative x e^x. Softplus is ln(1 + e^x). All but the last three give 0 for 0, as
// products that apply one on the way ask for: these are for the op alone.
typedef enum {
    GW_ACTIVATION_NONE,
    GW_ACTIVATION_GELU,
    GW_ACTIVATION_GELU_EXACT,
    GW_ACTIVATION_RELU,
    GW_ACTIVATION_TANH,
    GW_ACTIVATION_SILU,
    GW_ACTIVATION_GELU_QUICK,
    GW_ACTIVATION_SIGMOID,
    GW_ACTIVATION_ELU_PLUS_ONE,
    GW_ACTIVATION_SOFTPLUS
} gw_activation;

#endif
