// SPDX-License-Identifier: MIT
// A plugin that says what a test wants to hear: GODWIT_FAKE names the machine or the fault. Compiled WITHOUT_ENTRY it
// is a library that is no plugin.
#include "kernels/plugin.h"

#include <stdlib.h>
#include <string.h>

#ifdef WITHOUT_ENTRY
int gw_not_a_plugin(void);
int gw_not_a_plugin(void) {
    return 0;
}
#else
static bool is(const char *name) {
    const char *fake = getenv("GODWIT_FAKE");
    return fake && strcmp(fake, name) == 0;
}

static gw_device_list devices(void) {
    gw_device_list list = {.state = GW_DEVICES_FOUND, .driver_version = 13000, .runtime_version = 13000};
    if (is("no driver")) list.state = GW_DEVICES_NO_DRIVER, list.driver_version = 0;
    if (is("old driver")) list.state = GW_DEVICES_OLD_DRIVER, list.driver_version = 11040;
    if (is("no device")) list.state = GW_DEVICES_NONE;
    if (is("failing driver")) {
        list.state = GW_DEVICES_FAILED;
        strcpy(list.fault, "unknown error");
    }
    if (list.state != GW_DEVICES_FOUND) return list;
    list.device[list.count++] = (gw_device){.name = "Fake Nine", .major = 9, .memory = 80000000000};
    list.device[list.count++] = (gw_device){.name = "Fake Seven", .major = 7, .minor = 5, .memory = 16000000000};
    return list;
}

#define GW_OP(op, arguments)                                                                                           \
    static gw_status op##_of_nothing(const arguments *a) {                                                             \
        (void)a;                                                                                                       \
        return GW_OK;                                                                                                  \
    }
#include "kernels/ops.def"
#undef GW_OP

static gw_status use(int number, gw_fail_function *fail) {
    (void)number, (void)fail;
    return GW_OK;
}

static gw_status allocate(int64_t bytes, void **memory) {
    return *memory = calloc(1, (size_t)bytes + 1), *memory ? GW_OK : GW_ERR_MEMORY;
}

static int64_t scratch(gw_op op, const void *arguments) {
    (void)op, (void)arguments;
    return 0;
}

#define GW_OP(op, arguments) .op = op##_of_nothing,
static const gw_backend full_table = {
    .name = "fake",
    .allocate = allocate,
    .release = free,
    .scratch = scratch,
#include "kernels/ops.def"
};
#undef GW_OP

gw_plugin_function gw_plugin_entry;
const gw_plugin *gw_plugin_entry(void) {
    static gw_plugin plugin;
    plugin = (gw_plugin){.abi = GW_PLUGIN_ABI + (is("other abi") ? 1 : 0),
                         .architectures = "sm_80 sm_90a compute_100",
                         .devices = devices,
                         .kernels = {.name = "fake"}};
    if (is("full") || is("gap") || is("no memory")) plugin.kernels = full_table, plugin.use = use;
    if (is("gap")) plugin.kernels.rotary = NULL;
    if (is("no memory")) plugin.kernels.allocate = NULL;
    return &plugin;
}
#endif
