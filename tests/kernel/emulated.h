// SPDX-License-Identifier: MIT
// The CUDA plugin, compiled for the host over the checking emulator of tests/cuda/emulator: a backend for tests of ops.
// Every launch is waited for, and fails if the checker finds a fault.
#ifndef GW_TESTS_KERNEL_EMULATED_H
#define GW_TESTS_KERNEL_EMULATED_H

#include "kernels/backend.h"

enum { TEST_ORDERS = 3 }; // orders of blocks, warps and lanes: forward, reverse, random

// Runs an op's check in the first `orders` orders, which must give the same bits. Skips if there is no emulation or it
// lacks the op. GODWIT_EMULATED names a library other than the one beside this program.
void test_emulated(void (*check)(const gw_backend *backend), gw_op op, int orders);

// Products of tensor cores (mma.sync by a warp) in the emulation so far; -1 on a GPU, where they are unknown.
long test_tensor_products(void);

// Products of warpgroups (wgmma by a warp) among these products; -1 on a GPU, where they are unknown.
long test_warpgroup_products(void);

// Blocks of threads so far that made more products of tensor cores than the block numbered before them; -1 on a GPU.
long test_late_blocks(void);

// Graphs of CUDA in the emulation so far: captures that ended, graphs that were made, changed by new arguments, and
// launched; and faults of all kinds. Zeros on a GPU.
typedef struct {
    long captured, instantiated, updated, repeated, faults;
} test_graph_counts;
test_graph_counts test_graphs(void);

// Whether test_emulated() loaded the plugin for GPUs.
bool test_on_gpu(void);

// `limit`, or on a GPU the error of a sum of `products` products that one thread adds one after another: the root of
// the sum of squares of its roundings. Each rounding is at most 2^-24 of a sum of i products, which grows as the root
// of i.
double test_sum_limit(double limit, int64_t products);

// Selects the emulated device, with memory that the host cannot access. NULL without emulation. gw_use_device(NULL)
// ends its use.
const gw_backend *test_use_emulated(void);

#endif
