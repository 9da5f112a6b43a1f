// SPDX-License-Identifier: MIT
// The device for tests itself: whoever touches its memory from the host ends with a fault, and copies go through.
#include "apart.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 100 };

// Whether a child that does so ends with a fault.
static bool faults(void (*access)(volatile float *memory), void *memory) {
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        access(memory);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void reads(volatile float *memory) {
    (void)memory[COUNT - 1];
}

static void writes(volatile float *memory) {
    memory[0] = 1;
}

static void leaves_it_alone(volatile float *memory) {
    (void)memory;
}

Test(apart, stray_accesses_are_faults) {
    const gw_backend *device = apart_use();
    float values[COUNT], back[COUNT];
    void *memory;
    for (int i = 0; i < COUNT; i++) values[i] = (float)i;
    cr_assert_eq(device->allocate(sizeof values, &memory), GW_OK);
    cr_assert_not(faults(leaves_it_alone, memory));
    cr_assert(faults(reads, memory));
    cr_assert(faults(writes, memory));
    cr_assert_eq(device->to_device(memory, values, sizeof values), GW_OK);
    const gw_activation_args op = {.kind = GW_ACTIVATION_RELU, .count = COUNT, .in = memory, .out = memory};
    cr_assert_eq(device->activation(&op), GW_OK); // and after an op
    cr_assert(faults(reads, memory));
    cr_assert_eq(device->to_host(back, memory, sizeof back), GW_OK);
    cr_assert_eq(memcmp(back, values, sizeof back), 0);
    cr_assert_eq(device->zero(memory, sizeof back), GW_OK);
    cr_assert_eq(device->to_host(back, memory, sizeof back), GW_OK);
    for (int i = 0; i < COUNT; i++) cr_assert_eq(back[i], 0);
    device->release(memory);
    cr_assert_eq(apart_bytes(), 0);
    gw_use_device(NULL);
}
