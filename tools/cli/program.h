// SPDX-License-Identifier: MIT
// What a program of commands is: its main() is gw_program_main() of its description.
#ifndef GW_TOOLS_CLI_PROGRAM_H
#define GW_TOOLS_CLI_PROGRAM_H

#include "tools/cli/cli.h"
#include "tools/cli/common.h"

#include <stdbool.h>
#include <stdio.h>

// `name <command> [arguments]`, `name help [command]`, `name --version`; returns the exit status.
int gw_program_main(const gw_program_description *program, int argc, char **argv);

// completion.c: completion of the command line for the shells, made from the command tables.

// What the shell reads: its script for every command of the program. False for a shell other than bash, zsh and fish.
bool gw_print_completion(FILE *out, const char *shell);

// help.c: help texts and man pages, made from the command tables.

// The options are those of what `arguments` ask for: the command's, as far as they were parsed, or its defaults. all:
// not only the common ones, and those of the task and of the kinds of model (gw_command.model_kinds) that are named.
void gw_print_help(FILE *out, const gw_command *command, const void *arguments, unsigned models, bool all);
void gw_print_overview(FILE *out);
// A roff man page of godwit, section 1: of one command, or of the program where command is NULL.
void gw_print_man(FILE *out, const gw_command *command);

#endif
