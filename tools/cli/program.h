// SPDX-License-Identifier: MIT
// What a program of commands is: its main() is gw_program_main() of its description.
#ifndef GW_TOOLS_CLI_PROGRAM_H
#define GW_TOOLS_CLI_PROGRAM_H

#include "tools/cli/common.h"

// `name <command> [arguments]`, `name help [command]`, `name --version`; returns the exit status.
int gw_program_main(const gw_program_description *program, int argc, char **argv);

#endif
