// SPDX-License-Identifier: MIT
// Allocates, zeroes and copies device memory where the device is the host.
#include "kernels/cpu/host_memory.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_host_allocate(int64_t bytes, void **memory) {
    *memory = gw_alloc_aligned(bytes);
    return *memory ? gw_host_zero(*memory, bytes) : GW_ERR_MEMORY;
}

void gw_host_release(void *memory) {
    free(memory);
}

gw_status gw_host_zero(void *memory, int64_t bytes) {
    const int64_t floats = bytes / (int64_t)sizeof(float);
    gw_parallel_zero(memory, floats);
    memset((float *)memory + floats, 0, (size_t)bytes % sizeof(float));
    return GW_OK;
}

gw_status gw_host_copy(void *to, const void *from, int64_t bytes) {
    if (to != from && bytes > 0) memcpy(to, from, (size_t)bytes);
    return GW_OK;
}
