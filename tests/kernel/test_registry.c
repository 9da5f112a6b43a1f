// SPDX-License-Identifier: MIT
// The choice of a backend: order, names, the environment variable.
#include "kernels/kernel.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(registry, best_supported_backend_is_the_default) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    unsetenv("GODWIT_BACKEND");
    cr_assert(count >= 1);
    cr_assert_str_eq(backends[count - 1]->name, "baseline");
    cr_assert(backends[count - 1]->supported());
    for (int i = 0; i < count; i++) {
        if (!backends[i]->supported()) continue;
        cr_assert(gw_kernels() == backends[i]);
        break;
    }
}

Test(registry, environment_names_the_backend) {
    setenv("GODWIT_BACKEND", "baseline", 1);
    cr_assert_str_eq(gw_kernels()->name, "baseline");
}

Test(registry, unknown_name_is_an_error) {
    setenv("GODWIT_BACKEND", "sse9", 1);
    cr_assert_null(gw_kernels());
    char message[128] = "GODWIT_BACKEND: unknown backend 'sse9' (known: ";
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++) strcat(strcat(message, backends[i]->name), i + 1 < count ? ", " : ")");
    cr_assert_str_eq(gw_message(), message);
    cr_assert(gw_use_backend("cuda") == GW_ERR_UNSUPPORTED);
    cr_assert(strstr(gw_message(), "'cuda'") != NULL);
}

Test(registry, use_changes_the_choice_and_back) {
    unsetenv("GODWIT_BACKEND");
    const gw_backend *best = gw_kernels();
    cr_assert(gw_use_backend("baseline") == GW_OK);
    cr_assert_str_eq(gw_kernels()->name, "baseline");
    cr_assert(gw_use_backend(NULL) == GW_OK);
    cr_assert(gw_kernels() == best);
}

Test(registry, every_backend_has_every_op) {
    int count;
    const gw_backend *const *backends = gw_all_backends(&count);
    for (int i = 0; i < count; i++) {
#define GW_OP(op, arguments) cr_assert(backends[i]->op != NULL, "%s lacks " #op, backends[i]->name);
#include "kernels/ops.def"
#undef GW_OP
    }
}
