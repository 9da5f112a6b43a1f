// SPDX-License-Identifier: MIT
#ifndef GW_KERNELS_PLUGIN_FILE_H
#define GW_KERNELS_PLUGIN_FILE_H

#include "base/status.h"

#include <stdbool.h>

#define GW_PLUGIN_FILE "libgodwit-cuda.so"

// Path of the plugin of that file name, where gw_plugin_load() looks for its own, to be freed.
gw_status gw_plugin_find(const char *file, char **path) GW_MUST_CHECK;

// That a file is a whole shared library for this processor: the system's loader maps what a file's header promises, and
// a process that reads beyond the end of a truncated file is killed.
gw_status gw_plugin_check_file(const char *path) GW_MUST_CHECK;

// Checks the file, loads it for the rest of the process, and finds what it exports under that name.
gw_status gw_plugin_open(const char *path, const char *entry, void **symbol) GW_MUST_CHECK;

// Whether tests of the plugin passed on a GPU of that compute capability: its name ("sm_90") begins a line of
// PLUGIN.passed, which `make test-gpu` writes beside the plugin.
bool gw_plugin_has_passed(int major, int minor);

#endif
