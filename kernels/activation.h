// SPDX-License-Identifier: MIT
// Activations of ops, alone or within products.
#ifndef GW_KERNELS_ACTIVATION_H
#define GW_KERNELS_ACTIVATION_H

// GELU in its tanh form, exactly, and as x times the logistic function of 1.702 x; SiLU is x times the logistic
// function of x. ELU + 1 is x + 1, or e^x for negative x. Softplus is ln(1 + e^x). All except the last three map 0 to
// 0, which activations within products require; the last three are only for the activation op.
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
