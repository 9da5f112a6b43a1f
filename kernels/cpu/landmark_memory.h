// SPDX-License-Identifier: MIT
// Scratch memory of landmark_product: what a thread has of a head.
#ifndef GW_KERNELS_CPU_LANDMARK_MEMORY_H
#define GW_KERNELS_CPU_LANDMARK_MEMORY_H

#include "kernels/kernel.h"

enum { GW_LANDMARK_ITERATIONS = 12, GW_LANDMARK_SQUARES = 10 };

// Floats of a thread: A, what each iteration begins with, what the last one gives, other squares [most][most], and a
// head's part of rows, turned.
static inline int64_t gw_landmark_memory(const gw_landmark_product_args *args) {
    return (GW_LANDMARK_SQUARES + args->iterations + 1) * args->most * args->most + args->most * args->size;
}

#endif
