// SPDX-License-Identifier: MIT
// The CUDA plugin as the host's compiler makes it, over the checking emulator of tests/cuda/emulator: a backend for the
// checks of ops, whose every launch is waited for and fails where the checker finds a fault.
#ifndef GW_TESTS_KERNEL_EMULATED_H
#define GW_TESTS_KERNEL_EMULATED_H

#include "kernels/backend.h"

enum { TEST_ORDERS = 3 }; // forward, reverse, at random: of blocks, warps and lanes

// Runs an op's check over it in the first `orders` orders, which must give the same bits; skips where there is no
// emulation or it lacks the op. GODWIT_EMULATED names another library than that beside this program.
void test_emulated(void (*check)(const gw_backend *backend), gw_op op, int orders);

// Products of tensor cores (mma.sync by a warp) that the emulation has made so far; -1: a GPU does not say.
long test_tensor_products(void);

// Products of warpgroups (wgmma by a warp) among these; -1: a GPU does not say.
long test_warpgroup_products(void);

// Whether the plugin that test_emulated() loaded is the one for GPUs.
bool test_on_gpu(void);

// `limit`, or on a GPU what a sum of so many products has that one thread adds one after the other: the root of the sum
// of squares of its roundings, each at most 2^-24 of a sum of i products, which is as large as the root of i.
double test_sum_limit(double limit, int64_t products);

// Makes the emulated device the one in use, whose memory the host cannot touch; NULL where there is no emulation.
// gw_use_device(NULL) ends it.
const gw_backend *test_use_emulated(void);

#endif
