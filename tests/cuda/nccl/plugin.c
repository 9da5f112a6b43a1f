// SPDX-License-Identifier: MIT
// A CUDA plugin without CUDA, to be linked with nccl.cu: the processor's kernels over memory that stands for a
// device's.
#include "kernels/plugin.h"
#include "device.h"

#include <string.h>

static gw_device_list devices(void) {
    return (gw_device_list){.state = GW_DEVICES_FOUND,
                            .driver_version = 13000,
                            .runtime_version = 13000,
                            .count = 1,
                            .device = {{.name = "no GPU", .major = 9, .memory = 1 << 30}}};
}

static gw_status use(int number, gw_fail_function *fail) {
    (void)fail;
    return number == 0 ? GW_OK : GW_ERR_RANGE;
}

static gw_status allocate(int64_t bytes, void **memory) {
    *memory = device_allocate((size_t)bytes);
    return *memory ? GW_OK : GW_ERR_MEMORY;
}

static void release(void *memory) {
    (void)memory;
}

static gw_status zero(void *memory, int64_t bytes) {
    if (!device_holds(memory, (size_t)bytes)) return GW_ERR_RANGE;
    memset(memory, 0, (size_t)bytes);
    return GW_OK;
}

static gw_status to_device(void *device, const void *host, int64_t bytes) {
    if (!device_holds(device, (size_t)bytes)) return GW_ERR_RANGE;
    memcpy(device, host, (size_t)bytes);
    return GW_OK;
}

static gw_status to_host(void *host, const void *device, int64_t bytes) {
    if (!device_holds(device, (size_t)bytes)) return GW_ERR_RANGE;
    memcpy(host, device, (size_t)bytes);
    return GW_OK;
}

__attribute__((visibility("default"))) gw_plugin_function gw_plugin_entry;
const gw_plugin *gw_plugin_entry(void) {
    static gw_plugin plugin;
    plugin = (gw_plugin){
        .abi = GW_PLUGIN_ABI, .architectures = "sm_90", .devices = devices, .use = use, .kernels = *gw_kernels()};
    plugin.kernels.name = "cuda";
    plugin.kernels.shares_host = false;
    plugin.kernels.allocate = allocate;
    plugin.kernels.release = release;
    plugin.kernels.zero = zero;
    plugin.kernels.to_device = to_device;
    plugin.kernels.to_host = to_host;
    return &plugin;
}
