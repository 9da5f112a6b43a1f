// SPDX-License-Identifier: MIT
// One test per op, made from ops.def: its check passes on every backend that this machine runs, with the same bits for
// 1, 2 and 3 threads. An op without a check fails. And one per op over the CUDA plugin in its emulation, where that
// could be built and the plugin has the op: with the same bits for three orders of its blocks and threads.
#include "base/parallel.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>

#define GW_OP(op, arguments) __attribute__((weak)) void check_##op(const gw_backend *backend);
#include "kernels/ops.def"
#undef GW_OP

static void run_check(void (*check)(const gw_backend *backend), const char *op) {
    cr_assert_not_null(check, "%s has no check_%s() in tests/kernel", op, op);
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++) {
        if (!backends[i]->supported()) continue;
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads++) {
            gw_set_threads(threads);
            test_restart();
            check(backends[i]);
            if (threads == 1) first = test_digest();
            cr_assert(test_digest() == first, "%s on %s: %d threads give other bits than 1", op, backends[i]->name,
                      threads);
            test_release();
        }
    }
}

// Ops whose checks take a while are run in one order here; orders are compared over fewer cases in the files of their
// checks (cuda/*_in_any_order), and test_attention_backward.c has all of the emulation's of its op.
static int orders_of(gw_op op) {
    switch (op) {
    case GW_OP_gemm:
    case GW_OP_convolution:
    case GW_OP_attention:
    case GW_OP_landmark_product_backward:
    case GW_OP_token_attention_backward: return 1;
    case GW_OP_attention_backward: return 0;
    default: return TEST_ORDERS;
    }
}

static void run_emulated(void (*check)(const gw_backend *backend), gw_op op) {
    if (orders_of(op) > 0) test_emulated(check, op, orders_of(op));
}

#define GW_OP(op, arguments)                                                                                           \
    Test(kernel, op) {                                                                                                 \
        run_check(check_##op, #op);                                                                                    \
    }                                                                                                                  \
    Test(cuda, op) {                                                                                                   \
        run_emulated(check_##op, GW_OP_##op);                                                                          \
    }
#include "kernels/ops.def"
#undef GW_OP
