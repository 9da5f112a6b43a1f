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

// Device memory, and behind it managed memory.
static constexpr size_t PART = size_t(1) << 32, GUARD = 512, ALIGNMENT = 256, PAGE = 4096;
enum part { DEVICE, MANAGED, PARTS };
static char *arena, *top[PARTS];
static byte_state *states;
static cell *global_cells, *shared_cells;
static std::map<char *, size_t> allocated; // ever
static std::set<char *> given_back;

static size_t shared_bytes() {
    return size_t(__stop_emu_shared - __start_emu_shared);
}

static void *reserve(size_t bytes, int protection) {
    return mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void need_arena() {
    if (arena) return;
    const int both = PROT_READ | PROT_WRITE;
    arena = static_cast<char *>(reserve(PARTS * PART, PROT_NONE));
    global_cells = static_cast<cell *>(reserve(PARTS * PART / 2 * sizeof(cell), both));
    states = static_cast<byte_state *>(reserve(PARTS * PART, both));
    shared_cells = static_cast<cell *>(reserve(shared_bytes() / 2 * sizeof(cell) + PAGE, both));
    for (int i = 0; i < PARTS; i++) top[i] = arena + size_t(i) * PART + PAGE;
    mprotect(arena + MANAGED * PART, PART, both);
}

place place_of(const void *p) {
    need_arena();
    if (within(p, __start_emu_shared, shared_bytes())) return SHARED_MEMORY;
    return within(p, arena, PARTS * PART) ? GLOBAL_MEMORY : NOWHERE;
}

byte_state *state_of(const void *p) {
    return states + (static_cast<const char *>(p) - arena);
}

cell *cell_of(const void *p) {
    const char *at = static_cast<const char *>(p);
    if (place_of(p) == SHARED_MEMORY) return shared_cells + (at - __start_emu_shared) / 2;
    return global_cells + (at - arena) / 2;
}

void open_device_memory(bool open) {
    need_arena();
    const size_t bytes = size_t(top[DEVICE] - arena + PAGE - 1) & ~(PAGE - 1);
    mprotect(arena, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

// Numbers of the block before are gone, and so are copies that were on their way.
void forget_shared() {
    need_arena();
    auto forget = [](char *from, char *to) {
        memset(from, 0xff, size_t(to - from));
        for (; from < to; from += 2) shared_cells[(from - __start_emu_shared) / 2].coming = 0;
    };
    forget(__start_emu_shared, dynamic_shared);
    forget(dynamic_shared, dynamic_shared + now.dynamic_bytes);
    forget(dynamic_shared + MOST_SHARED, __stop_emu_shared);
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
    need_arena();
    const uintptr_t first = (uintptr_t(top[which]) + GUARD + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    char *const at = reinterpret_cast<char *>(first);
    if (bytes > PART || at + bytes + PAGE > arena + size_t(which + 1) * PART) return cudaErrorMemoryAllocation;
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

// The place stays empty, so that use after it is seen; who touched it, 38 times as much, need not be known any more.
cudaError_t cudaFree(void *p) {
    const cudaError_t allowed = allow(nullptr, "cudaFree");
    if (!p || allowed != cudaSuccess) return allowed;
    cudaStreamSynchronize(nullptr);
    auto it = allocated.find(static_cast<char *>(p));
    if (it == allocated.end()) return cudaErrorInvalidValue;
    given_back.insert(it->first);
    memset(state_of(it->first), ABSENT, it->second);
    give_back_pages(it->first, it->first + it->second);
    give_back_pages(cell_of(it->first), cell_of(it->first + it->second));
    return cudaSuccess;
}

void emu_forbid(const void *p, int64_t bytes) {
    memset(state_of(p), ABSENT, size_t(bytes));
}
