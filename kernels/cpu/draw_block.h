// SPDX-License-Identifier: MIT
// Queries and keys of a block of pairs that draw_edges looks at together.
#ifndef GW_KERNELS_CPU_DRAW_BLOCK_H
#define GW_KERNELS_CPU_DRAW_BLOCK_H

enum { GW_DRAW_BLOCK = 64 };

#endif
