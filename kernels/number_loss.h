// SPDX-License-Identifier: MIT
// Losses of measured numbers. A model gives z for a number y; for GAUSSIAN also s, the logarithm of its variance:
//   SQUARED    (z - y)^2
//   HUBER      with d = z - y: d^2 / 2 if |d| is at most the bend, otherwise bend (|d| - bend / 2)
//   POISSON    exp(z) - y z: y >= 0 are counts with mean exp(z); constant terms are omitted
//   GAUSSIAN   (s + (z - y)^2 exp(-s)) / 2: y is normal with mean z and variance exp(s); ln(2 pi) / 2 is omitted
#ifndef GW_KERNELS_NUMBER_LOSS_H
#define GW_KERNELS_NUMBER_LOSS_H

typedef enum {
    GW_NUMBER_LOSS_SQUARED,
    GW_NUMBER_LOSS_HUBER,
    GW_NUMBER_LOSS_POISSON,
    GW_NUMBER_LOSS_GAUSSIAN
} gw_number_loss_kind;

// Logits of a number: for GAUSSIAN z and s.
static inline int gw_number_logits(gw_number_loss_kind kind) {
    return kind == GW_NUMBER_LOSS_GAUSSIAN ? 2 : 1;
}

#endif
