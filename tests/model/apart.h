// SPDX-License-Identifier: MIT
// A device for tests: the best kernels of this machine over memory of its own, which the host can neither read nor
// write but while an op, a copy or zeroing is on. Whoever touches it elsewhere ends with a fault; copies from or to the
// wrong side, and integer inputs, graphs and labels on the host end the test.
#ifndef GW_TESTS_MODEL_APART_H
#define GW_TESTS_MODEL_APART_H

#include "kernels/backend.h"

// The device, as the backend in use: its counts start again.
const gw_backend *apart_use(void);
// The same without one op; its launches are refused.
const gw_backend *apart_use_without(gw_op op);
bool apart_launched(gw_op op); // since apart_use()
int64_t apart_bytes(void);     // that are allocated

#endif
