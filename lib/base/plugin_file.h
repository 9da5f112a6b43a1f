// SPDX-License-Identifier: MIT
// The files of plugins: libraries that the program opens at run time, where they are there. Each exports one function,
// which returns a struct whose first member is a checksum of the contract that it was compiled against.
#ifndef GW_BASE_PLUGIN_FILE_H
#define GW_BASE_PLUGIN_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define GW_PLUGIN_FILE "libgodwit-cuda.so"

// Path of the plugin of that file name, to be freed: in the folder that GODWIT_PLUGIN_PATH names, or else in the
// program's own folder or in ../lib/godwit from there. GODWIT_PLUGIN_PATH may name a file, too: that is the CUDA
// plugin.
gw_status gw_plugin_find(const char *file, char **path) GW_MUST_CHECK;

// That a file is a whole shared library for this processor: the system's loader maps what a file's header promises, and
// a process that reads beyond the end of a truncated file is killed.
gw_status gw_plugin_check_file(const char *path) GW_MUST_CHECK;

// Checks the file, loads it for the rest of the process, and finds its export of this name.
gw_status gw_plugin_open(const char *path, const char *entry, void **symbol) GW_MUST_CHECK;

// Refuses a plugin whose checksum of the contract is not the program's.
gw_status gw_plugin_check_abi(const char *path, uint32_t found, uint32_t expected) GW_MUST_CHECK;

// Whether tests of the CUDA plugin passed on a GPU of that compute capability: its name ("sm_90") begins a line of
// PLUGIN.passed, which `make test-gpu` writes beside the plugin.
bool gw_plugin_has_passed(int major, int minor);

#endif
