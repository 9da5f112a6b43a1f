// SPDX-License-Identifier: MIT
// The part of CUDA's runtime that nccl.cu uses, without a GPU. Work is done at once, in memory that plays the device's.
#ifndef GW_TESTS_NCCL_CUDA_RUNTIME_H
#define GW_TESTS_NCCL_CUDA_RUNTIME_H

#include "device.h"

#include <string.h>

typedef int cudaError_t;
typedef void *cudaStream_t, *cudaEvent_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorNotReady = 600 };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

static inline cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    static int one;
    *stream = &one;
    return flags == cudaStreamNonBlocking ? cudaSuccess : cudaErrorInvalidValue;
}
// Not ready at the first question.
static inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
    static int asked;
    return !stream ? cudaErrorInvalidValue : asked++ % 2 ? cudaSuccess : cudaErrorNotReady;
}
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    static int one;
    *event = &one;
    return flags == cudaEventDisableTiming ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return event && !stream ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return stream && event && !flags ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaMalloc(void **memory, size_t bytes) {
    *memory = device_allocate(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaFree(void *memory) {
    return !memory || device_holds(memory, 0) ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream) {
    const void *device = kind == cudaMemcpyHostToDevice ? to : from, *host = kind == cudaMemcpyHostToDevice ? from : to;
    if (!stream || !device_holds(device, bytes) || device_holds(host, bytes)) return cudaErrorInvalidValue;
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}

#endif
