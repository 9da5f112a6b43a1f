// SPDX-License-Identifier: MIT
// The activations that ops apply, alone or on the way.
#ifndef GW_KERNELS_ACTIVATION_H
#define GW_KERNELS_ACTIVATION_H

// All give 0 for 0. GELU in its tanh form and exactly; SiLU is x times the logistic function of x.
typedef enum {
    GW_ACTIVATION_NONE,
    GW_ACTIVATION_GELU,
    GW_ACTIVATION_GELU_EXACT,
    GW_ACTIVATION_RELU,
    GW_ACTIVATION_TANH,
    GW_ACTIVATION_SILU
} gw_activation;

#endif
