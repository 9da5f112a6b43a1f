// SPDX-License-Identifier: MIT
// Help texts and man pages, made from the command tables.
#ifndef GW_TOOLS_CLI_HELP_H
#define GW_TOOLS_CLI_HELP_H

#include "tools/cli/cli.h"

#include <stdio.h>

// The options are those of what `arguments` ask for: the command's, as far as they were parsed, or its defaults.
void gw_print_help(FILE *out, const gw_command *command, const void *arguments);
void gw_print_overview(FILE *out);
// A roff man page of godwit, section 1: of one command, or of the program where command is NULL.
void gw_print_man(FILE *out, const gw_command *command);

#endif
