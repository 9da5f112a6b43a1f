// SPDX-License-Identifier: MIT
// The device's start, its memory, copies in the order of the stream, and errors in words. A fault of a kernel is
// reported by whatever waits for it next: a copy to the host, as a rule.
#include "kernels/cuda/frame.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gw_fail_function *fail_of_program;

void gw_cuda_set_fail(gw_fail_function *fail) {
    fail_of_program = fail;
}

gw_status gw_cuda_fail(gw_status code, const char *what, const char *why) {
    return fail_of_program ? fail_of_program(code, "the GPU fails at %s: %s", what, why) : code;
}

gw_status gw_cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return GW_OK;
    return gw_cuda_fail(error == cudaErrorMemoryAllocation ? GW_ERR_MEMORY : GW_ERR_IO, what,
                        cudaGetErrorString(error));
}

static gw_status fail_to_allocate(cudaError_t error, int64_t bytes) {
    char what[64];
    snprintf(what, sizeof what, "an allocation of %lld bytes", (long long)bytes);
    return gw_cuda_status(error, what);
}

// ---- the start: a thread makes the context and opens cuBLASLt while the program reads its files

static int device;
static bool is_selected; // by the program's thread
static pthread_t opener;
static bool is_opening;

// The number comes as an address: the emulator would take a load for one of the kernel that runs.
static void *open_all(void *number) {
    if (cudaSetDevice(int(reinterpret_cast<intptr_t>(number))) == cudaSuccess) gw_cuda_open_products();
    return nullptr;
}

void gw_cuda_wait_for_products() {
    if (is_opening) pthread_join(opener, nullptr);
    is_opening = false;
}

static gw_status select_device() {
    if (!is_selected) GW_TRY(gw_cuda_status(cudaSetDevice(device), "its start")); // waits for the context
    is_selected = true;
    return GW_OK;
}

gw_status gw_cuda_start(int number) {
    device = number;
    is_selected = false;
    if (getenv("WORLD_SIZE")) return select_device(); // NCCL asks for this thread's device before anything is allocated
    gw_cuda_wait_for_products();
    is_opening = pthread_create(&opener, nullptr, open_all, reinterpret_cast<void *>(intptr_t(number))) == 0;
    // At exit the thread ends before CUDA does, which was loaded for the list of devices.
    static bool ends_at_exit;
    if (!ends_at_exit) ends_at_exit = atexit(gw_cuda_wait_for_products) == 0;
    if (!ends_at_exit) gw_cuda_wait_for_products();
    return GW_OK;
}

// ---- memory

gw_status gw_cuda_allocate(int64_t bytes, void **memory) {
    *memory = nullptr;
    GW_TRY(select_device());
    if (gw_cuda_stops()) return GW_ERR_UNSUPPORTED;
    const cudaError_t error = cudaMalloc(memory, size_t(bytes > 0 ? bytes : 1));
    if (error != cudaSuccess) return fail_to_allocate(error, bytes);
    return gw_cuda_zero(*memory, bytes);
}

gw_status gw_cuda_allocate_reachable(int64_t bytes, void **memory) {
    *memory = nullptr;
    GW_TRY(select_device());
    return fail_to_allocate(cudaMallocManaged(memory, size_t(bytes > 0 ? bytes : 1)), bytes);
}

gw_status gw_cuda_parts(double **parts) {
    static void *memory;
    if (!memory) GW_TRY(gw_cuda_allocate(GW_CUDA_PART_BYTES, &memory));
    *parts = static_cast<double *>(memory);
    return GW_OK;
}

void gw_cuda_release(void *memory) {
    gw_cuda_stops();
    cudaFree(memory);
}

gw_status gw_cuda_zero(void *memory, int64_t bytes) {
    cudaError_t error;
    if (bytes == 0) return GW_OK;
    if (gpu_note_all(&error, memory, bytes)) return gw_cuda_status(error, "zeroing");
    return gw_cuda_status(cudaMemsetAsync(memory, 0, size_t(bytes), gw_cuda_stream), "zeroing");
}

// ---- copies

// Small copies to the device go through pinned memory, so that nobody waits for them: the next one is behind it, and at
// the end of this memory the host waits once.
enum : int64_t { STAGED = int64_t(1) << 20, STAGE = int64_t(8) << 20, STAGE_STEP = 256 }; // bytes
static char *stage;
static int64_t staged; // bytes in use

static gw_status wait(const char *what) {
    staged = 0;
    return gw_cuda_status(cudaStreamSynchronize(gw_cuda_stream), what);
}

static gw_status copy(void *to, const void *from, int64_t bytes, cudaMemcpyKind kind, const char *what) {
    return gw_cuda_status(cudaMemcpyAsync(to, from, size_t(bytes), kind, gw_cuda_stream), what);
}

// The host may change its numbers as soon as this returns.
gw_status gw_cuda_to_device(void *to, const void *from, int64_t bytes) {
    static const char what[] = "a copy to it, or an op before that";
    if (gw_cuda_stops()) return GW_ERR_UNSUPPORTED;
    if (bytes == 0) return GW_OK;
    if (bytes <= STAGED && !stage && cudaMallocHost(reinterpret_cast<void **>(&stage), STAGE) != cudaSuccess) {
        cudaGetLastError();
        stage = nullptr;
    }
    if (bytes > STAGED || !stage) {
        GW_TRY(copy(to, from, bytes, cudaMemcpyHostToDevice, what));
        return wait(what);
    }
    if (staged + bytes > STAGE) GW_TRY(wait(what));
    char *const at = stage + staged;
    staged += gw_cuda_divide(bytes, STAGE_STEP) * STAGE_STEP;
    memcpy(at, from, size_t(bytes));
    return copy(to, at, bytes, cudaMemcpyHostToDevice, what);
}

gw_status gw_cuda_to_host(void *to, const void *from, int64_t bytes) {
    static const char what[] = "a copy from it, or an op before that";
    if (gw_cuda_stops()) return GW_ERR_UNSUPPORTED;
    if (bytes > 0) GW_TRY(copy(to, from, bytes, cudaMemcpyDeviceToHost, what));
    return wait(what);
}

// ---- what has passed its tests

bool gw_cuda_has_passed(const char *begins) {
    Dl_info plugin;
    char path[4096], line[512];
    bool found = false;
    if (!dladdr(reinterpret_cast<const void *>(gw_cuda_has_passed), &plugin)) return false;
    snprintf(path, sizeof path, "%s.passed", plugin.dli_fname);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) found = strncmp(line, begins, strlen(begins)) == 0;
    if (file) fclose(file);
    return found;
}
