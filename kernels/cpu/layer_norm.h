// SPDX-License-Identifier: MIT
// What the layer_norm kernels and the size of their scratch memory share.
#ifndef GW_KERNELS_CPU_LAYER_NORM_H
#define GW_KERNELS_CPU_LAYER_NORM_H

enum { GW_LAYER_NORM_PARTS = 64 }; // runs of rows whose sums are taken apart: also the most threads that share the work

#endif
