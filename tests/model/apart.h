// SPDX-License-Identifier: MIT
// A device for tests: the best kernels of this machine over separate memory, which the host can access only during an
// op, a copy or zeroing. Other accesses end with a fault. Copies from or to the wrong side, and integer inputs, graphs
// and labels on the host, end the test.
#ifndef GW_TESTS_MODEL_APART_H
#define GW_TESTS_MODEL_APART_H

#include "kernels/backend.h"

// Selects the device and resets its counts.
const gw_backend *apart_use(void);
// The same without one op. Launching this op is an error.
const gw_backend *apart_use_without(gw_op op);
bool apart_launched(gw_op op); // since apart_use()
int64_t apart_bytes(void);     // allocated bytes

#endif
