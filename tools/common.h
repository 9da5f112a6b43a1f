// SPDX-License-Identifier: MIT
// What all commands share: the common options, and the terminal side of the library's log hooks.
#ifndef GW_TOOLS_COMMON_H
#define GW_TOOLS_COMMON_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t threads;
    bool quiet, help;
} gw_common_arguments;

extern gw_common_arguments gw_common; // filled by the parser, read by the dispatcher

// How long a command that was asked to stop may take for its clean exit; a command with much to save allows itself
// more.
extern unsigned gw_grace_seconds;

// Installs the hooks that show warnings, notes and progress on stderr: a bar with rate and remaining time on a
// terminal, a plain line now and then in a log.
void gw_terminal_install(void);

#endif
