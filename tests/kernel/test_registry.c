// SPDX-License-Identifier: MIT
// The choice of a backend: order, names, the environment variable.
#include "base/log.h"
#include "kernels/backend.h"
#include "kernels/cpu/amx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

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

#ifdef __x86_64__
// From now on this process has no arch_prctl(), as under a container's filter.
static bool forbid_arch_prctl(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static char noted[256];
static void note(const char *message) {
    snprintf(noted, sizeof noted, "%s", message);
}

Test(registry, without_permission_for_tiles_vectors_compute) {
    static const gw_log_hooks hooks = {.note = note};
    if (gw_amx_ask() == GW_AMX_ABSENT) cr_skip_test("no AMX");
    if (!forbid_arch_prctl()) cr_skip_test("no filters of system calls here");
    unsetenv("GODWIT_BACKEND");
    gw_set_log_hooks(&hooks);
    cr_assert(gw_amx_ask() == GW_AMX_REFUSED);
    cr_assert_str_eq(gw_kernels()->name, "avx512");
    cr_assert_str_eq(noted, "the system refuses the tiles of AMX: bf16 attention is computed in vectors");
    cr_assert(gw_use_backend("amx") == GW_ERR_UNSUPPORTED);
    cr_assert_str_eq(gw_message(), "backend 'amx' needs the tiles of AMX, which the system refuses");
}
#endif

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
