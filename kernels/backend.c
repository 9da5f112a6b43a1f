// SPDX-License-Identifier: MIT
// What is asked of any backend: the names of ops, and which of them it has.
#include "kernels/backend.h"

#include <stddef.h>

const char *gw_op_name(gw_op op) {
    static const char *const names[] = {
#define GW_OP(op, arguments) #op,
#include "kernels/ops.def"
#undef GW_OP
    };
    return names[op];
}

bool gw_backend_has(const gw_backend *backend, gw_op op) {
    switch (op) {
#define GW_OP(op, arguments)                                                                                           \
    case GW_OP_##op:                                                                                                   \
        return backend->op != NULL;
#include "kernels/ops.def"
#undef GW_OP
    default: return false;
    }
}
