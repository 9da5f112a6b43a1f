// SPDX-License-Identifier: MIT
// The CUDA plugin's side of the contract: what devices there are, and the table of kernels. An op is in the table where
// a source of this folder defines its launcher.
#include "kernels/cuda/frame.h"
#include "kernels/cuda/packed.h"

extern "C" {
#include "kernels/stored_bf16.h"
}

#include <stdio.h>
#include <string.h>

extern "C" __attribute__((visibility("default"))) const gw_plugin *gw_plugin_entry(void);

#define GW_OP(op, arguments) extern "C" __attribute__((weak)) gw_status gw_##op##_cuda(const arguments *);
#include "kernels/ops.def"
#undef GW_OP

static gw_device_state state_of(cudaError_t error, int driver_version) {
    switch (error) {
    case cudaSuccess: return GW_DEVICES_FOUND;
    case cudaErrorInsufficientDriver: return driver_version == 0 ? GW_DEVICES_NO_DRIVER : GW_DEVICES_OLD_DRIVER;
    case cudaErrorNoDevice: return GW_DEVICES_NONE;
    default: return GW_DEVICES_FAILED;
    }
}

static cudaError_t describe(int number, gw_device *device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, number);
    if (error != cudaSuccess) return error;
    snprintf(device->name, sizeof device->name, "%s", properties.name);
    device->major = properties.major;
    device->minor = properties.minor;
    device->memory = (int64_t)properties.totalGlobalMem;
    return cudaSuccess;
}

// Asks the driver, and makes no context on any device.
static gw_device_list find_devices(void) {
    gw_device_list list;
    memset(&list, 0, sizeof list);
    cudaDriverGetVersion(&list.driver_version);
    cudaRuntimeGetVersion(&list.runtime_version);
    cudaError_t error = cudaGetDeviceCount(&list.count);
    if (error != cudaSuccess) list.count = 0;
    if (list.count > GW_MOST_DEVICES) list.count = GW_MOST_DEVICES;
    for (int i = 0; error == cudaSuccess && i < list.count; i++) error = describe(i, &list.device[i]);
    list.state = state_of(error, list.driver_version);
    if (list.state == GW_DEVICES_FAILED) snprintf(list.fault, sizeof list.fault, "%s", cudaGetErrorString(error));
    if (list.state == GW_DEVICES_FOUND && list.count == 0) list.state = GW_DEVICES_NONE;
    return list;
}

static gw_status use_device(int number, gw_fail_function *fail) {
    gw_cuda_set_fail(fail);
    return gw_cuda_start(number);
}

const char *gw_cuda_architectures(void) {
    return GW_PLUGIN_ARCHITECTURES;
}

static bool multiplies_bf16(void) {
    return true;
}

static void fill_table(gw_backend *table) {
    table->name = "cuda";
    table->allocate = gw_cuda_allocate;
    table->release = gw_cuda_release;
    table->zero = gw_cuda_zero;
    table->to_device = gw_cuda_to_device;
    table->to_host = gw_cuda_to_host;
    table->pack = gw_cuda_pack;
    table->packed_free = gw_cuda_packed_free;
    table->packed_bytes = gw_cuda_packed_bytes;
    table->scratch = gw_cuda_scratch;
    table->multiplies_bf16 = multiplies_bf16;
    table->takes_bf16 = gw_cuda_takes_bf16;
    table->repeat = gw_cuda_repeat;
    table->record_free = gw_cuda_record_free;
    table->repeats = true;
#define GW_OP(op, arguments) table->op = gw_##op##_cuda;
#include "kernels/ops.def"
#undef GW_OP
}

const gw_plugin *gw_plugin_entry(void) {
    static gw_plugin plugin;
    plugin.abi = GW_PLUGIN_ABI;
    plugin.architectures = gw_cuda_architectures();
    plugin.devices = find_devices;
    plugin.use = use_device;
    plugin.allocate_reachable = gw_cuda_allocate_reachable;
    fill_table(&plugin.kernels);
    return &plugin;
}
