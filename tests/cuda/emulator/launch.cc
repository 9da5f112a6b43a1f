// SPDX-License-Identifier: MIT
// The stream: launches, copies and zeroing in order, done when somebody waits; blocks of a grid in the order asked for.
#include "state.h"

#include "kernels/cuda/gpu_sm90.h"

#include <memory>
#include <stdio.h>
#include <stdlib.h>

namespace emu {

launch now = {.grid = {},
              .block = {},
              .block_index = {},
              .threads = 0,
              .warps = 0,
              .dynamic_bytes = 0,
              .run = nullptr,
              .closure = nullptr,
              .closure_bytes = 0,
              .aborted = false,
              .epoch = 0,
              .launched_at = 0,
              .began_at = 0,
              .synced_at = 0,
              .has_phases = false};
emu_tally tally;
order_kind order = FORWARD;
static uint64_t seed = 1;

uint64_t random_bits() {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

template <typename T> static void shuffle(T *list, long count) {
    for (long i = count - 1; i > 0; i--) std::swap(list[i], list[random_bits() % uint64_t(i + 1)]);
}

template <typename T> static void arrange_list(T *list, long count) {
    for (long i = 0; i < count; i++) list[i] = T(order == REVERSE ? count - 1 - i : i);
    if (order == RANDOM) shuffle(list, count);
}

void arrange(uint8_t *list, int count) {
    arrange_list(list, count);
}

static void run_block(long number) {
    const dim3 g = now.grid;
    now.block_index = {unsigned(number % g.x), unsigned(number / g.x % g.y), unsigned(number / (long(g.x) * g.y))};
    now.aborted = false;
    const long before = tally.faults;
    barrier.live = now.threads;
    barrier.waiting = 0;
    now.began_at = now.synced_at = now.epoch;
    forget_shared();
    forget_phases();
    forget_products();
    start_threads();
    if (!now.aborted) finish_phases(), finish_products();
    if (tally.faults > before) forget_copies(); // that may never come
    tally.blocks++;
}

static long late; // blocks of threads with more products than the block numbered before them

static void run_grid() {
    std::vector<long> blocks(size_t(now.grid.x) * now.grid.y * now.grid.z), products(blocks.size());
    arrange_list(blocks.data(), long(blocks.size()));
    now.launched_at = now.epoch;
    open_device_memory(true);
    for (long number : blocks) {
        const long before = emu_products() + emu_warpgroup_products();
        run_block(number);
        products[size_t(number)] = emu_products() + emu_warpgroup_products() - before;
        if (now.aborted) break;
    }
    for (size_t i = 1; i < products.size(); i++) late += products[i] > products[i - 1];
    open_device_memory(false);
}

static std::deque<std::function<void()>> work;

void add_work(std::function<void()> what) {
    work.push_back(std::move(what));
}

static size_t shared_limit() {
    static const char *const asked = getenv("EMU_SHARED");
    static const size_t limit = asked ? size_t(atol(asked)) : 99 * 1024; // the least of sm_80 and later: sm_86
    return limit;
}

static bool launchable(dim3 g, dim3 b, size_t shared) {
    const uint64_t threads = uint64_t(b.x) * b.y * b.z;
    return g.x && g.y && g.z && g.y <= 65535 && g.z <= 65535 && threads && threads <= MOST_THREADS && b.z <= 64 &&
           shared <= shared_limit();
}

bool usable(const void *p, size_t bytes, access_kind kind, const char *what) {
    if (place_of(p) != GLOBAL_MEMORY) {
        if (fresh(what)) tell("COPY: %s is not device memory", what);
        return false;
    }
    byte_state *state = state_of(p);
    for (size_t i = 0; i < bytes; i++) {
        const bool unset = state[i] == UNWRITTEN && kind == READ && instrumented && checking;
        if (state[i] == ABSENT || unset) {
            if (fresh(std::string(what) + "'s bytes"))
                tell("COPY: %s %s at %s", what, unset ? "was never written" : "is out of bounds",
                     describe(static_cast<const char *>(p) + i).c_str());
            return unset;
        }
        if (kind == WRITE) state[i] = WRITTEN;
    }
    return true;
}

void do_opened(const std::function<void()> &change) {
    open_device_memory(true);
    change();
    open_device_memory(false);
}

__attribute__((constructor)) static void read_environment() {
    if (const char *text = getenv("EMU_CHECK")) checking = atoi(text) != 0;
    if (const char *text = getenv("EMU_ORDER")) emu_set_order(text);
}

} // namespace emu

using namespace emu;

cudaError_t emu_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, const emu_call &call) {
    const std::shared_ptr<void> closure(call.closure, call.drop);
    if (!launchable(grid, block, shared)) return cudaErrorInvalidConfiguration;
    return enqueue(stream, KERNEL, [=] {
        now.grid = grid;
        now.block = block;
        now.threads = int(block.x * block.y * block.z);
        now.warps = (now.threads + WARP - 1) / WARP;
        now.dynamic_bytes = shared;
        now.run = call.run;
        now.closure = closure.get();
        now.closure_bytes = call.closure_bytes;
        if (emu_recording()) record(call, run_grid);
        else run_grid();
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const cudaError_t allowed = allow(stream, "cudaStreamSynchronize");
    if (allowed != cudaSuccess) return allowed;
    const long before = tally.faults;
    while (!work.empty()) {
        work.front()();
        work.pop_front();
    }
    return tally.faults > before ? cudaErrorLaunchFailure : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream) {
    return enqueue(stream, FILL, [=] {
        if (usable(p, bytes, WRITE, "what is filled")) do_opened([=] { memset(p, byte, bytes); });
    });
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return enqueue(stream, COPY, [=] {
        if (kind != cudaMemcpyHostToDevice && !usable(from, bytes, READ, "a copy's source")) return;
        if (kind != cudaMemcpyDeviceToHost && !usable(to, bytes, WRITE, "a copy's target")) return;
        do_opened([=] { memcpy(to, from, bytes); });
    });
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated: return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureImplicit: return "operation would make the legacy stream depend on a capturing stream";
    default: return "invalid argument";
    }
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
    return cudaDriverGetVersion(version);
}
cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? 8 : 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
    snprintf(properties->name, sizeof properties->name, "emulated GPU");
    properties->major = 8;
    properties->minor = 0;
    properties->totalGlobalMem = size_t(1) << 32;
    return cudaSuccess;
}

const emu_tally *emu_tallies(void) {
    return &tally;
}

long emu_products(void) {
    return tally.mma;
}

long emu_late_blocks(void) {
    return late;
}

void emu_set_order(const char *text) {
    order = !strncmp(text, "reverse", 7) ? REVERSE : !strncmp(text, "random", 6) ? RANDOM : FORWARD;
    if (const char *colon = strchr(text, ':')) seed = strtoull(colon + 1, nullptr, 10) * 0x9e3779b97f4a7c15u | 1;
}
