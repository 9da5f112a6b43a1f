// SPDX-License-Identifier: MIT
// State that all commands share: the common options, and the log hooks of the terminal.
#ifndef GW_TOOLS_CLI_COMMON_H
#define GW_TOOLS_CLI_COMMON_H

#include "base/string.h"
#include "tools/cli/cli.h"

#include <stdio.h>

typedef struct {
    int64_t threads;
    bool quiet, help, help_all;
} gw_common_arguments;

extern gw_common_arguments gw_common; // set by the parser, read by the dispatcher

// Whether the value's name has the form "[=VALUE]": the value may be absent, and follows an equals sign if present.
static inline bool gw_value_is_optional(const gw_option *option) {
    return option->value_name && gw_has_prefix(option->value_name, "[=");
}

// The description of a program with commands.
typedef struct {
    const char *name, *summary; // one line
    const char *start;          // a first command and its purpose, or NULL
    const gw_command *const *commands;
    int command_count;
    void (*print_version)(FILE *out);
} gw_program_description;

extern gw_program_description gw_program; // the running program, set by gw_program_main()

// Seconds that a command may take for a clean exit after a request to stop. A command with much data to save may raise
// this number.
extern unsigned gw_grace_seconds;

// Installs hooks that show warnings, notes and progress on stderr. Progress is a bar with rate and remaining time on a
// terminal, and a line now and then in a log. Messages of gw_preparing() appear after five seconds without output.
void gw_terminal_install(void);
void gw_terminal_say_details(void); // shows messages of gw_detail(), unless the command is quiet

#endif
