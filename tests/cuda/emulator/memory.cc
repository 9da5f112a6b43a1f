// SPDX-License-Identifier: MIT
// Memory of the emulated device: allocations with guards between them that are never given out twice, of which the host
// can touch only the managed ones; the state of each byte; and where shared memory lies.
#include "state.h"

#include <link.h>
#include <map>
#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace emu {

alignas(1024) __attribute__((section("emu_shared"))) char dynamic_shared[MOST_SHARED];

static constexpr size_t GUARD = 512, ALIGNMENT = 256, PAGE = 4096;
static std::map<char *, size_t> allocated; // ever
static std::set<char *> given_back;

static size_t shared_bytes() {
    return size_t(__stop_emu_shared - __start_emu_shared);
}

template <typename T> static T *reserve(size_t count, int protection = PROT_READ | PROT_WRITE) {
    return static_cast<T *>(
        mmap(nullptr, count * sizeof(T), protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

static char *reserve_arena() {
    char *const arena = reserve<char>(PARTS * PART_BYTES, PROT_NONE);
    mprotect(arena + MANAGED * PART_BYTES, PART_BYTES, PROT_READ | PROT_WRITE);
    return arena;
}

const memory_map memory = {reserve_arena(), reserve<byte_state>(PARTS *PART_BYTES),
                           reserve<cell>(PARTS *PART_BYTES / 2), reserve<cell>(shared_bytes() / 2 + 1)};
static char *top[PARTS] = {memory.arena + PAGE, memory.arena + PART_BYTES + PAGE};

void open_device_memory(bool open) {
    const size_t bytes = size_t(top[DEVICE] - memory.arena + PAGE - 1) & ~(PAGE - 1);
    mprotect(memory.arena, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

// Numbers of the block before are gone.
void forget_shared() {
    auto forget = [](char *from, char *to) { memset(from, 0xff, size_t(to - from)); };
    forget(__start_emu_shared, dynamic_shared);
    forget(dynamic_shared, dynamic_shared + now.dynamic_bytes);
    forget(dynamic_shared + MOST_SHARED, __stop_emu_shared);
}

void forget_copies() {
    for (size_t i = 0; i < shared_bytes() / 2; i++) memory.shared_cells[i].coming = 0;
}

std::vector<std::pair<char *, size_t>> live_allocations() {
    std::vector<std::pair<char *, size_t>> live;
    for (const auto &[at, bytes] : allocated)
        if (!given_back.count(at)) live.push_back({at, bytes});
    return live;
}

static std::string describe_global(const char *p) {
    char text[160];
    auto next = allocated.upper_bound(const_cast<char *>(p));
    if (next == allocated.begin()) return "global memory before all allocations";
    --next;
    snprintf(text, sizeof text, "global memory, byte %ld of an allocation of %zu", long(p - next->first), next->second);
    return text;
}

std::string describe(const void *pointer) {
    const char *p = static_cast<const char *>(pointer);
    char text[160];
    const place where = place_of(p);
    if (where == GLOBAL_MEMORY) return describe_global(p);
    if (where == NOWHERE) snprintf(text, sizeof text, "memory of the host or of another thread");
    else if (!within(p, dynamic_shared, MOST_SHARED)) snprintf(text, sizeof text, "a static __shared__ variable");
    else snprintf(text, sizeof text, "shared memory, byte %ld of %zu", long(p - dynamic_shared), now.dynamic_bytes);
    return text;
}

static std::vector<std::pair<const void *, size_t>> constants;

static int find_constants(dl_phdr_info *info, size_t, void *) {
    bool ours = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &h = info->dlpi_phdr[i];
        ours |= h.p_type == PT_LOAD && uintptr_t(find_constants) - (info->dlpi_addr + h.p_vaddr) < h.p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        const auto &h = info->dlpi_phdr[i];
        if ((h.p_type == PT_LOAD && !(h.p_flags & PF_W)) || h.p_type == PT_GNU_RELRO)
            constants.push_back({reinterpret_cast<void *>(info->dlpi_addr + h.p_vaddr), h.p_memsz});
    }
    return ours;
}

bool is_constant(const void *p) {
    if (constants.empty()) dl_iterate_phdr(find_constants, nullptr);
    for (const auto &range : constants)
        if (within(p, range.first, range.second)) return true;
    return false;
}

// Bytes that are all 1 are NaN as numbers, and far outside as indices.
static cudaError_t allocate(part which, void **p, size_t bytes) {
    const uintptr_t first = (uintptr_t(top[which]) + GUARD + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    char *const at = reinterpret_cast<char *>(first);
    if (bytes > PART_BYTES || at + bytes + PAGE > memory.arena + size_t(which + 1) * PART_BYTES)
        return cudaErrorMemoryAllocation;
    allocated[at] = bytes;
    memset(state_of(at), which == MANAGED ? WRITTEN : UNWRITTEN, bytes);
    top[which] = at + bytes;
    open_device_memory(true);
    memset(at, 0xff, bytes);
    open_device_memory(false);
    *p = at;
    return cudaSuccess;
}

} // namespace emu

using namespace emu;

cudaError_t cudaMalloc(void **p, size_t bytes) {
    const cudaError_t allowed = allow(nullptr, "cudaMalloc");
    if (allowed != cudaSuccess) return allowed;
    return allocate(DEVICE, p, bytes);
}

cudaError_t cudaMallocManaged(void **p, size_t bytes) {
    return allocate(MANAGED, p, bytes);
}

// Memory of the host that no page fault can move: here as any other.
cudaError_t cudaMallocHost(void **p, size_t bytes) {
    const cudaError_t allowed = allow(nullptr, "cudaMallocHost");
    if (allowed != cudaSuccess) return allowed;
    *p = malloc(bytes);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Pages that lie wholly within go back to the system, and are zeros where they are touched again.
static void give_back_pages(void *begin, void *end) {
    const uintptr_t first = (uintptr_t(begin) + PAGE - 1) & ~(PAGE - 1), last = uintptr_t(end) & ~(PAGE - 1);
    if (first < last) madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

// The place stays empty, so that use after it is seen; who touched it, 16 times as much, need not be known any more.
cudaError_t cudaFree(void *p) {
    const cudaError_t allowed = allow(nullptr, "cudaFree");
    if (!p || allowed != cudaSuccess) return allowed;
    cudaStreamSynchronize(nullptr);
    auto it = allocated.find(static_cast<char *>(p));
    if (it == allocated.end()) return cudaErrorInvalidValue;
    given_back.insert(it->first);
    memset(state_of(it->first), ABSENT, it->second);
    give_back_pages(it->first, it->first + it->second);
    give_back_pages(cell_of_global(it->first), cell_of_global(it->first + it->second));
    return cudaSuccess;
}

void emu_forbid(const void *p, int64_t bytes) {
    memset(state_of(p), ABSENT, size_t(bytes));
}
