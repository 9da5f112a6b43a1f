// SPDX-License-Identifier: MIT
// Files of plugins: libraries that the program opens at run time if they exist. Each library exports one function that
// returns a struct. The first member of the struct is a checksum of the header that the plugin was compiled with.
#ifndef GW_BASE_PLUGIN_FILE_H
#define GW_BASE_PLUGIN_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define GW_PLUGIN_FILE "libgodwit-cuda.so"

// Sets *path to the path of the plugin file; free() it. The plugin is looked up in the folder GODWIT_PLUGIN_PATH, or,
// without this variable, in the program's folder and in ../lib/godwit from there. GODWIT_PLUGIN_PATH may also be the
// file of the CUDA plugin.
gw_status gw_plugin_find(const char *file, char **path) GW_MUST_CHECK;

// Checks that a file is a complete shared library for this processor. The system's loader maps the size in the file's
// header; reading beyond the end of a truncated file would kill the process.
gw_status gw_plugin_check_file(const char *path) GW_MUST_CHECK;

// Checks the file, loads it for the rest of the process, and finds its exported symbol `entry`.
gw_status gw_plugin_open(const char *path, const char *entry, void **symbol) GW_MUST_CHECK;

// Fails if the checksum of the plugin differs from the program's.
gw_status gw_plugin_check_abi(const char *path, uint32_t found, uint32_t expected) GW_MUST_CHECK;

// Whether the tests of the CUDA plugin passed on a GPU of this compute capability. `make test-gpu` writes the passed
// ones to PLUGIN.passed beside the plugin, one a line, such as "sm_90".
bool gw_plugin_has_passed(int major, int minor);

#endif
