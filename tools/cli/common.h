// SPDX-License-Identifier: MIT
// What all commands share: the common options, and the terminal side of the library's log hooks.
#ifndef GW_TOOLS_CLI_COMMON_H
#define GW_TOOLS_CLI_COMMON_H

#include "base/string.h"
#include "tools/cli/cli.h"

#include <stdio.h>

typedef struct {
    int64_t threads;
    bool quiet, help, help_all;
} gw_common_arguments;

extern gw_common_arguments gw_common; // filled by the parser, read by the dispatcher

// "--name[=VALUE]", as the value's name "[=VALUE]" says: a value only behind an equals sign, and no text without one.
static inline bool gw_value_is_optional(const gw_option *option) {
    return option->value_name && gw_has_prefix(option->value_name, "[=");
}

// A program of commands.
typedef struct {
    const char *name, *summary; // one line
    const char *start;          // a first command and what it is for, or NULL
    const gw_command *const *commands;
    int command_count;
    void (*print_version)(FILE *out);
} gw_program_description;

extern gw_program_description gw_program; // that runs, from gw_program_main() on

// How long a command that was asked to stop may take for its clean exit; a command with much to save allows itself
// more.
extern unsigned gw_grace_seconds;

// Installs the hooks that show warnings, notes and progress on stderr: a bar with rate and remaining time on a
// terminal, a plain line now and then in a log. What a run prepares is said once it has been silent for five seconds.
void gw_terminal_install(void);
void gw_terminal_say_details(void); // of gw_detail(), unless the command is quiet

#endif
