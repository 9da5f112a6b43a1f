// SPDX-License-Identifier: MIT
// What a program of commands is: each one defines gw_program beside its main(), which is gw_program_main().
#ifndef GW_TOOLS_PROGRAM_H
#define GW_TOOLS_PROGRAM_H

#include "tools/cli.h"

#include <stdio.h>

typedef struct {
    const char *name, *summary; // one line
    const char *start;          // a first command and what it is for, or NULL
    const gw_command *const *commands;
    int command_count;
    void (*print_version)(FILE *out);
} gw_program_description;

extern const gw_program_description gw_program;

// `name <command> [arguments]`, `name help [command]`, `name --version`; returns the exit status.
int gw_program_main(int argc, char **argv);

#endif
