// SPDX-License-Identifier: MIT
// The interface between the program and a backend in a separate library, the CUDA plugin.
//
// The library exports one function, gw_plugin_entry(), which returns its gw_plugin. The first member is a checksum of
// ops.def and of every header that this file includes, made by the Makefile. The program refuses another checksum
// before it reads the other members.
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
    GW_DEVICES_OLD_DRIVER, // older than the plugin's runtime
    GW_DEVICES_NONE,       // a driver without a device, or with all devices hidden from this process
    GW_DEVICES_FAILED,     // `fault` has the driver's message
} gw_device_state;

// The devices of this machine. Versions are 1000 major + 10 minor, as in CUDA; 0: unknown.
typedef struct {
    gw_device_state state;
    int driver_version, runtime_version;
    int count;
    gw_device device[GW_MOST_DEVICES];
    char fault[256];
} gw_device_list;

// gw_fail() of base/status.h, because the library cannot link it.
typedef gw_status gw_fail_function(gw_status code, const char *format, ...);

typedef struct {
    uint32_t abi; // always the first member
    // Architectures with machine code, "sm_80 sm_90a compute_100": sm_XY runs on devices X.Y to X.9 (with an "a": only
    // on X.Y); the driver compiles compute_XY for X.Y and all later ones.
    const char *architectures;
    gw_device_list (*devices)(void);
    // Selects device `number` for memory and kernels; called once, before all other functions. The device may still be
    // starting when it returns; the first allocation then waits, and reports a failure. `fail` makes the messages of
    // failures. NULL in a plugin without kernels. Ops without a kernel are NULL: models that need one are
    // refused by the op's name; all others run.
    gw_status (*use)(int number, gw_fail_function *fail);
    // Allocates memory that the host can also access while no op runs, for tests. release() frees it.
    gw_status (*allocate_reachable)(int64_t bytes, void **memory);
    gw_backend kernels;
} gw_plugin;

typedef const gw_plugin *gw_plugin_function(void);

// The program's side.

// Finds the plugin, checks the file and its checksum, and loads it for the rest of the process. GODWIT_PLUGIN_PATH
// names it, as a file or a folder with libgodwit-cuda.so; otherwise it is in the program's folder or in ../lib/godwit
// from there.
gw_status gw_plugin_load(const gw_plugin **plugin) GW_MUST_CHECK;

// The number of ops without a kernel in the plugin; *first (may be NULL) becomes the name of one of them.
int gw_plugin_gaps(const gw_plugin *plugin, const char **first);

// Whether code for these architectures runs on a device of this compute capability.
bool gw_architecture_runs(const char *architectures, int major, int minor);

// Sets *text, which the caller frees, to the reason why there is no device, in one line; NULL if there are devices.
gw_status gw_device_lack(const gw_device_list *list, char **text) GW_MUST_CHECK;

#endif
