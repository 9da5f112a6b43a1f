// SPDX-License-Identifier: MIT
// Blocks of a kernel that fit a multiprocessor, as CUDA's cuda_occupancy.h counts them without a GPU.
// usage: occupancy ARCHITECTURE REGISTERS STATIC_SHARED DYNAMIC_SHARED THREADS
#include <cuda_occupancy.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word) {
    if (count != 6) return 2;
    const int architecture = atoi(word[1]), threads = atoi(word[5]);
    const size_t dynamic = size_t(atol(word[4])), kilobytes = architecture == 80 ? 164 : architecture < 90 ? 100 : 228;
    cudaOccDeviceProp device;
    device.computeMajor = architecture / 10;
    device.computeMinor = architecture % 10;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = architecture > 80 && architecture < 90 ? 1536 : 2048;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = kilobytes * 1024;
    device.sharedMemPerBlockOptin = (kilobytes - 1) * 1024;
    device.reservedSharedMemPerBlock = 1024;
    device.numSms = 100;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = threads;
    kernel.numRegs = atoi(word[2]);
    kernel.sharedSizeBytes = size_t(atol(word[3]));
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = dynamic;
    kernel.numBlockBarriers = 1;
    cudaOccDeviceState state;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic)) return 1;
    printf("%d\n", result.activeBlocksPerMultiprocessor);
    return 0;
}
