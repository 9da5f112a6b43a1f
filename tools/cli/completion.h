// SPDX-License-Identifier: MIT
// Completion of the command line for the shells, made from the command tables.
#ifndef GW_TOOLS_CLI_COMPLETION_H
#define GW_TOOLS_CLI_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

// What the shell reads: its script for every command of the program. False for a shell other than bash, zsh and fish.
bool gw_print_completion(FILE *out, const char *shell);

#endif
