// SPDX-License-Identifier: MIT
// Sums over rows are taken in fixed runs of rows, so that no thread count changes their order: what the kernels and the
// size of their scratch memory share.
#ifndef GW_KERNELS_CPU_ROW_PARTS_H
#define GW_KERNELS_CPU_ROW_PARTS_H

enum { GW_ROW_PARTS = 64 }; // runs: also the most threads that share the work

#endif
