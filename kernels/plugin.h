// SPDX-License-Identifier: MIT
// The contract between the program and a backend that stands in a library of its own, the CUDA plugin.
//
// The library exports one function, gw_plugin_entry(), which returns its gw_plugin. Its first member is the number of
// the contract that it was compiled against: a checksum, which the Makefile takes, of ops.def and of every header that
// this file reaches. The program refuses another number before it reads anything else.
#ifndef GW_KERNELS_PLUGIN_H
#define GW_KERNELS_PLUGIN_H

#include "kernels/backend.h"

#include <stdint.h>

#define GW_PLUGIN_ENTRY "gw_plugin_entry"

enum { GW_MOST_DEVICES = 64 };

typedef struct {
    char name[256];
    int major, minor; // compute capability
    int64_t memory;   // bytes
} gw_device;

typedef enum {
    GW_DEVICES_FOUND,
    GW_DEVICES_NO_DRIVER,
    GW_DEVICES_OLD_DRIVER, // older than the runtime in the plugin
    GW_DEVICES_NONE,       // a driver without a device, or all hidden from this process
    GW_DEVICES_FAILED,     // what the driver says stands in `fault`
} gw_device_state;

// What this machine has. Versions count 1000 major + 10 minor, as CUDA does; 0: unknown.
typedef struct {
    gw_device_state state;
    int driver_version, runtime_version;
    int count;
    gw_device device[GW_MOST_DEVICES];
    char fault[256];
} gw_device_list;

// gw_fail() of base/status.h, for a library that cannot link it.
typedef gw_status gw_fail_function(gw_status code, const char *format, ...);

typedef struct {
    uint32_t abi; // stays the first member, whatever changes
    // What there is machine code for, "sm_80 sm_90a compute_100": sm_XY is code that runs on devices X.Y to X.9 (with
    // an "a": on X.Y alone), compute_XY text that the driver compiles for X.Y and all later ones.
    const char *architectures;
    gw_device_list (*devices)(void);
    // Makes device `number` the one whose memory and kernels these are, once and before all else, and `fail` what makes
    // the messages of failures; NULL of a plugin that computes nothing yet. Ops without a kernel are NULL: a model that
    // needs one is refused by its name, all others run.
    gw_status (*use)(int number, gw_fail_function *fail);
    // Memory that the host reaches, too, while no op runs; for tests. release() frees it.
    gw_status (*allocate_reachable)(int64_t bytes, void **memory);
    gw_backend kernels;
} gw_plugin;

typedef const gw_plugin *gw_plugin_function(void);

// The program's side.

// Finds the plugin, checks the file and its contract, and loads it for the rest of the process. It is what
// GODWIT_PLUGIN_PATH names, a file or a folder with a libgodwit-cuda.so, or else stands in the program's own folder or
// in ../lib/godwit from there.
gw_status gw_plugin_load(const gw_plugin **plugin) GW_MUST_CHECK;

// How many ops the plugin has no kernel of; *first (may be NULL) is the name of one of them.
int gw_plugin_gaps(const gw_plugin *plugin, const char **first);

// Whether code for these architectures runs on a device of that compute capability.
bool gw_architecture_runs(const char *architectures, int major, int minor);

// Says in *text, which the caller frees, why there is no device: one line. NULL where there are some.
gw_status gw_device_lack(const gw_device_list *list, char **text) GW_MUST_CHECK;

#endif
