// SPDX-License-Identifier: MIT
// Atomics of whole numbers.
#include "state.h"

using namespace emu;

#define TELL access(p, sizeof *p, ATOMIC, true, __builtin_return_address(0))
#define ATOMICS(T)                                                                                                     \
    T atomicAdd(T *p, T value) {                                                                                       \
        TELL;                                                                                                          \
        const T old = *p;                                                                                              \
        *p = old + value;                                                                                              \
        return old;                                                                                                    \
    }                                                                                                                  \
    T atomicMax(T *p, T value) {                                                                                       \
        TELL;                                                                                                          \
        const T old = *p;                                                                                              \
        if (value > old) *p = value;                                                                                   \
        return old;                                                                                                    \
    }                                                                                                                  \
    T atomicExch(T *p, T value) {                                                                                      \
        TELL;                                                                                                          \
        const T old = *p;                                                                                              \
        *p = value;                                                                                                    \
        return old;                                                                                                    \
    }                                                                                                                  \
    T atomicCAS(T *p, T expected, T value) {                                                                           \
        TELL;                                                                                                          \
        const T old = *p;                                                                                              \
        if (old == expected) *p = value;                                                                               \
        return old;                                                                                                    \
    }
ATOMICS(int)
ATOMICS(unsigned)
ATOMICS(unsigned long long)
