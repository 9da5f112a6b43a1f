// SPDX-License-Identifier: MIT
// Arguments that change from one run of a recorded sequence of launches to the next: draws, learning rates, scales of
// losses. In a graph, kernels read them from device memory, to which graph.cu copies them before each run. So launches
// with other numbers are the same launches, and the graph is repeated. Without a graph they are arguments like others.
#ifndef GW_KERNELS_CUDA_CHANGING_H
#define GW_KERNELS_CUDA_CHANGING_H

#include "kernels/cuda/frame.h"

#include <type_traits>

// Returns where such a number will lie in device memory when the graph of its sequence runs, at a multiple of
// GW_CUDA_PLACE bytes. NULL: there is no graph, or no more room (graph.cu).
enum { GW_CUDA_PLACE = 16 };
const void *gw_cuda_place(const void *number, size_t bytes);

// T has no bytes between its members.
template <typename T> struct gpu_changing {
    T number;
    const T *in_graph; // or NULL
};

template <typename T> GPU_FN T gpu_number(const gpu_changing<T> &of) {
    return of.in_graph ? *of.in_graph : of.number;
}

// For launchers, once for each number and run of the launcher.
template <typename T> gpu_changing<T> gw_cuda_changing(const T &number) {
    static_assert(std::is_trivially_copyable<T>::value && alignof(T) <= GW_CUDA_PLACE, "a number is plain bytes");
    const T *place = static_cast<const T *>(gw_cuda_place(&number, sizeof number));
    return place ? gpu_changing<T>{T(), place} : gpu_changing<T>{number, nullptr};
}

// The arguments of a loss without the scale of its gradient, which changes.
template <typename A> A gw_cuda_unscaled(A args) {
    args.gradient_scale = 0;
    return args;
}

#endif
