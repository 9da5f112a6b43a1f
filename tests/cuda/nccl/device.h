// SPDX-License-Identifier: MIT
// Memory that plays a device's: a range of addresses, so that a pointer to the host's memory is noticed.
#ifndef GW_TESTS_NCCL_DEVICE_H
#define GW_TESTS_NCCL_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define DEVICE_BEGIN ((uintptr_t)0x500000000000)
#define DEVICE_BYTES ((uintptr_t)1 << 32)

// Zeroed. Never freed, since untouched pages cost nothing.
static inline void *device_allocate(size_t bytes) {
    static uintptr_t used;
    if (used == 0 && mmap((void *)DEVICE_BEGIN, DEVICE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
        used = DEVICE_BYTES / 2; // another part of this library has mapped it: it allocates below, this one above
    used += 4096;
    void *memory = (void *)(DEVICE_BEGIN + used);
    used += (bytes + 63) / 64 * 64;
    return used <= DEVICE_BYTES ? memory : NULL;
}

static inline int device_holds(const void *memory, size_t bytes) {
    return (uintptr_t)memory >= DEVICE_BEGIN && (uintptr_t)memory + bytes <= DEVICE_BEGIN + DEVICE_BYTES;
}

#endif
