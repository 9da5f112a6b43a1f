// SPDX-License-Identifier: MIT
// The tiles of AMX: whether this process may multiply in them, and the shape in which it does.
//
// The processor has to have them, and Linux (5.16 and later) gives a process the 8 KB of their state when it asks once,
// by arch_prctl(ARCH_REQ_XCOMP_PERM); threads made before and after share the answer.
#ifndef GW_KERNELS_CPU_AMX_H
#define GW_KERNELS_CPU_AMX_H

#include <stdint.h>

typedef enum {
    GW_AMX_ABSENT,  // the processor has no tiles for bf16
    GW_AMX_REFUSED, // it has, and the system does not give them to this process
    GW_AMX_READY,
} gw_amx_state;

// Asks the first time, and whenever it was refused before.
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
