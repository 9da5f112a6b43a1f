// SPDX-License-Identifier: MIT
// The part of CUDA's runtime that the plugin uses, over the emulator: memory that the host cannot touch, memory that
// both can touch, and a stream. The stream does its work as late as possible: when somebody waits for it.
//
// EMU_ORDER=forward|reverse|random[:seed] sets the order of blocks, warps and lanes. EMU_MMA=f32|exact|rz sets how sums
// of products are rounded. EMU_SHARED is the limit of shared memory of a block in bytes. EMU_CHECK=0 turns the checker
// off. EMU_RECORD=FOLDER records launches (record.cc).
#ifndef GW_EMULATOR_RUNTIME_H
#define GW_EMULATOR_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
};

typedef int cudaError_t;
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorLaunchFailure = 719,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureImplicit = 906,
    cudaErrorGraphExecUpdateFailure = 910,
};
typedef struct emu_stream *cudaStream_t; // NULL is the stream that works; others are for captures alone

cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaMallocManaged(void **p, size_t bytes);
cudaError_t cudaMallocHost(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream);
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
const char *cudaGetErrorString(cudaError_t error);
inline cudaError_t cudaGetLastError() {
    return cudaSuccess; // no error stays
}

typedef struct emu_graph *cudaGraph_t;
typedef struct emu_graph_exec *cudaGraphExec_t;
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
struct cudaGraphExecUpdateResultInfo {
    int result;
};
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
// Fails where the graph has other works, or works of other kinds.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

struct cudaDeviceProp {
    char name[256];
    int major, minor;
    size_t totalGlobalMem;
};
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76 };
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaSetDevice(int device);

// Counts for tests.
typedef struct {
    long blocks, switches, meetings, mma, ldmatrix, ldmatrix_cycles, copies, accesses;
    long captured, instantiated, updated, repeated; // graphs: ends of captures; those made, changed, launched
    long faults;                                    // of all kinds, since the start
} emu_tally;
extern "C" {
__attribute__((visibility("default"))) const emu_tally *emu_tallies(void);
__attribute__((visibility("default"))) long emu_products(void);    // mma of these
__attribute__((visibility("default"))) long emu_late_blocks(void); // with more products than the block numbered before
__attribute__((visibility("default"))) void emu_set_order(const char *order); // as EMU_ORDER
// Graphs: captures that ended, graphs made, changed and launched; and faults of all kinds, since the start.
__attribute__((visibility("default"))) void emu_count_graphs(long counts[5]);
// Bytes of an allocation that kernels must not touch, for the rest of its life.
__attribute__((visibility("default"))) void emu_forbid(const void *p, int64_t bytes);
}

#endif
