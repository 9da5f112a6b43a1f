// SPDX-License-Identifier: MIT
// A program with commands: main() calls gw_program_main() with the program's description.
#ifndef GW_TOOLS_CLI_PROGRAM_H
#define GW_TOOLS_CLI_PROGRAM_H

#include "tools/cli/cli.h"
#include "tools/cli/common.h"

#include <stdbool.h>
#include <stdio.h>

// `name <command> [arguments]`, `name help [command]`, `name --version`; returns the exit status.
int gw_program_main(const gw_program_description *program, int argc, char **argv);

// completion.c: command-line completion for shells, made from the command tables.

// Prints the completion script for all commands. False for a shell other than bash, zsh and fish.
bool gw_print_completion(FILE *out, const char *shell);

// help.c: help texts and man pages, made from the command tables.

// Prints the help of a command. `arguments` are those parsed so far, or the defaults; only options of the requested
// kind of work are shown. all: shows all options, not only the common ones and those of the named task and kinds of
// model (gw_command.model_kinds).
void gw_print_help(FILE *out, const gw_command *command, const void *arguments, unsigned models, bool all);
void gw_print_overview(FILE *out);
// Prints a man page (roff, section 1) of one command, or of the program if command is NULL.
void gw_print_man(FILE *out, const gw_command *command);

#endif
