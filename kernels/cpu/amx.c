// SPDX-License-Identifier: MIT
// Requests AMX tiles from the processor and Linux, once, and sets their shape for the calling thread.
#include "kernels/cpu/amx.h"

enum { ROW = GW_AMX_SIDE * 4 }; // bytes
const gw_amx_shapes gw_amx_full = {
    .palette = 1,
    .row_bytes = {ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW},
    .rows = {GW_AMX_SIDE, GW_AMX_SIDE, GW_AMX_SIDE, GW_AMX_SIDE, GW_AMX_SIDE, GW_AMX_SIDE, GW_AMX_SIDE, GW_AMX_SIDE},
};

#ifdef __x86_64__
#include <cpuid.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24 };      // leaf 7, subleaf 0: EDX
enum { FEATURES_LEAF = 7, AMX = AMX_BF16 | AMX_TILE };

static bool processor_has_amx(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(FEATURES_LEAF, 0, &a, &b, &c, &d) && (d & AMX) == AMX &&
           __builtin_cpu_supports("avx512bf16");
}

gw_amx_state gw_amx_ask(void) {
    if (!processor_has_amx()) return GW_AMX_ABSENT;
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0 ? GW_AMX_READY : GW_AMX_REFUSED;
}
#else
gw_amx_state gw_amx_ask(void) {
    return GW_AMX_ABSENT;
}
#endif
