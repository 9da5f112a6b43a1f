// SPDX-License-Identifier: MIT
// AMX tiles: whether this process may use them, and their shape.
//
// The processor must have AMX. Linux (5.16 and later) grants a process the 8 KB of tile state after one request,
// arch_prctl(ARCH_REQ_XCOMP_PERM). The grant holds for earlier and later threads.
#ifndef GW_KERNELS_CPU_AMX_H
#define GW_KERNELS_CPU_AMX_H

#include <stdint.h>

typedef enum {
    GW_AMX_ABSENT,  // the processor has no tiles for bf16
    GW_AMX_REFUSED, // the processor has tiles, but the system refuses them to this process
    GW_AMX_READY,
} gw_amx_state;

// Requests the tiles at the first call, and again after a refusal.
gw_amx_state gw_amx_ask(void);

enum { GW_AMX_SIDE = 16 }; // rows of a tile, and 32-bit numbers of a row

// The memory operand of ldtilecfg, palette 1.
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} gw_amx_shapes;
extern const gw_amx_shapes gw_amx_full; // eight tiles of the largest shape

#endif
