// SPDX-License-Identifier: MIT
// An arena whose memory is the device's, and numbers that are sent there.
#include "run/bench_memory.h"

#include "kernels/backend.h"

#include <stdlib.h>

gw_status gw_bench_place(gw_arena *arena) {
    void *memory;
    GW_TRY(gw_kernels()->allocate(arena->used, &memory));
    *arena = (gw_arena){.memory = memory, .size = arena->used};
    return GW_OK;
}

void gw_bench_release(gw_arena *arena) {
    gw_kernels()->release(arena->memory);
    *arena = (gw_arena){0};
}

gw_status gw_bench_fill(float *device, int64_t count) {
    float *made = gw_alloc(count, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) made[i] = 0.1f * (float)(i * 7919 % 23 - 11);
    const gw_status status = gw_kernels()->to_device(device, made, count * (int64_t)sizeof *made);
    free(made);
    return status;
}
