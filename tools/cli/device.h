// SPDX-License-Identifier: MIT
// --device: an option of the commands that compute.
#ifndef GW_TOOLS_CLI_DEVICE_H
#define GW_TOOLS_CLI_DEVICE_H

#include "tools/cli/cli.h"

#include <stdio.h>

// The fields of the row of --device; offset: of its const char * field.
#define GW_DEVICE_HELP "cpu, or cuda[:N] for GPU N (cpu)"
#define GW_OPTION_ROW_DEVICE(offset) GW_OPTION_STRING, 0, "device", "DEVICE", offset, GW_DEVICE_HELP

// Makes the device that the option names (NULL: cpu) the one to compute on. What this machine lacks, a driver, a GPU or
// one that the plugin was compiled for, is warned of once, and the CPU computes; what is wrong with the command line or
// the installation fails.
gw_status gw_device_apply(const char *device) GW_MUST_CHECK;

// The backends of the processor and the state of the CUDA plugin, a line each, for --version.
void gw_print_devices(FILE *out);

#endif
