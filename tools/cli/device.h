// SPDX-License-Identifier: MIT
// The option --device of commands that compute.
#ifndef GW_TOOLS_CLI_DEVICE_H
#define GW_TOOLS_CLI_DEVICE_H

#include "tools/cli/cli.h"

#include <stdio.h>

// Fields of the row of --device. offset: offset of its const char * field.
#define GW_DEVICE_HELP "cpu, or cuda[:N] for GPU N (cpu)"
#define GW_OPTION_ROW_DEVICE(offset) GW_OPTION_STRING, 0, "device", "DEVICE", offset, GW_DEVICE_HELP

// Selects the named device (NULL: cpu) for computing. If the machine has no driver, no GPU, or no GPU that the plugin
// was compiled for, a warning is printed once and the CPU computes. A wrong name or a broken installation is an error.
gw_status gw_device_apply(const char *device) GW_MUST_CHECK;

// Begins to do so in a thread; gw_device_apply() must follow and waits for it. A driver and a device start in about a
// second, in which the caller can read files; it must not compute.
void gw_device_begin(const char *device);

// Prints the backends of the processor and the state of the CUDA plugin, one a line, for --version.
void gw_print_devices(FILE *out);

#endif
