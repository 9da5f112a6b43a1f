// SPDX-License-Identifier: MIT
// EMU_RECORD=FOLDER: launches as files, for the interpreter of tests/cuda/ptx: parameters, and device memory before
// and after, as far as the kernel can reach it. Of each kernel one launch is kept: the longest of those that an
// interpreter runs in a second, or else the shortest.
#include "state.h"

#include "kernels/cuda/gpu_sm90.h"

#include <algorithm>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace emu {

static const char *const folder = getenv("EMU_RECORD");
enum : size_t { LONG = 1500, MOST_BYTES = 3 << 20 };

struct range {
    char *at;
    size_t bytes;
    std::string before;
};

// What a kernel can reach: allocations to which its parameters point, or what these hold.
struct reachable {
    std::vector<std::pair<char *, size_t>> live = live_allocations();
    std::vector<range> found;
    size_t bytes = 0;

    void follow(const char *from, size_t size) {
        for (size_t at = 0; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
            uintptr_t word;
            memcpy(&word, from + at, sizeof word);
            visit(reinterpret_cast<char *>(word));
        }
    }

    void visit(char *p) {
        auto next = std::upper_bound(live.begin(), live.end(), std::make_pair(p, SIZE_MAX));
        if (next == live.begin()) return;
        const auto [at, size] = *--next;
        const bool known = std::any_of(found.begin(), found.end(), [at = at](const range &r) { return r.at == at; });
        if (!within(p, at, size) || known || bytes > MOST_BYTES) return;
        bytes += size;
        found.push_back({at, size, std::string(at, size)});
        follow(at, size);
    }
};

// Where a kernel begins, in the library that holds it: `nm` knows its name.
static uint64_t offset_of(const void *kernel) {
    Dl_info info;
    if (!dladdr(kernel, &info)) return 0;
    return uint64_t(static_cast<const char *>(kernel) - static_cast<char *>(info.dli_fbase));
}

static void put(FILE *f, std::initializer_list<uint64_t> numbers) {
    for (uint64_t number : numbers) fwrite(&number, sizeof number, 1, f);
}

static std::string path_of(uint64_t kernel) {
    return std::string(folder) + "/" + std::to_string(kernel) + ".launch";
}

// Of the launch that is there, which another process may have written: tests are one each.
static uint64_t kept_length(uint64_t kernel) {
    uint64_t length = 0;
    if (FILE *f = fopen(path_of(kernel).c_str(), "rb")) {
        if (fread(&length, sizeof length, 1, f) != 1) length = 0;
        fclose(f);
    }
    return length;
}

static void write_launch(uint64_t length, uint64_t kernel, const std::string &parameters,
                         const std::vector<range> &memory) {
    const std::string part = path_of(kernel) + "." + std::to_string(getpid());
    FILE *f = fopen(part.c_str(), "wb");
    if (!f) {
        perror(part.c_str());
        exit(1);
    }
    const dim3 g = now.grid, b = now.block;
    put(f, {length, kernel, g.x, g.y, g.z, b.x, b.y, b.z, now.dynamic_bytes, parameters.size(), memory.size()});
    fwrite(parameters.data(), 1, parameters.size(), f);
    for (const range &r : memory) {
        put(f, {uint64_t(r.at), r.bytes});
        fwrite(r.before.data(), 1, r.bytes, f);
        fwrite(r.at, 1, r.bytes, f);
    }
    fclose(f);
    rename(part.c_str(), path_of(kernel).c_str());
}

// Accesses that follow each other, where the threads of a block are in step and blocks come one by one.
static uint64_t length_of(long accesses) {
    return uint64_t(accesses / now.threads) + 1;
}

static bool better(uint64_t length, uint64_t kept) {
    if (kept == 0) return true;
    return length <= LONG ? kept > LONG || length > kept : length < kept;
}

// A launch that leaves what was there, from one like it before, says nothing.
static bool has_changed(const std::vector<range> &memory) {
    for (const range &r : memory)
        if (memcmp(r.before.data(), r.at, r.bytes) != 0) return true;
    return false;
}

void record(const emu_call &call, const std::function<void()> &run) {
    const uint64_t kernel = offset_of(call.kernel);
    reachable memory;
    open_device_memory(true);
    memory.follow(call.parameters.data(), call.parameters.size());
    const long before = tally.accesses, of_warpgroups = emu_warpgroup_products();
    run();
    const uint64_t length = length_of(tally.accesses - before);
    if (emu_warpgroup_products() > of_warpgroups) return; // the interpreter has none
    if (memory.bytes > MOST_BYTES || !better(length, kept_length(kernel))) return;
    open_device_memory(true);
    if (has_changed(memory.found)) write_launch(length, kernel, call.parameters, memory.found);
    open_device_memory(false);
}

} // namespace emu

bool emu_recording() {
    return emu::folder != nullptr;
}
