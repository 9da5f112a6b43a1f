// SPDX-License-Identifier: MIT
// Which options of a command name files, and which of these files are inputs, according to the option tables.
#ifndef GW_TOOLS_CLI_PATHS_H
#define GW_TOOLS_CLI_PATHS_H

#include "tools/cli/cli.h"

typedef enum { GW_NO_PATH, GW_PATH_FILE, GW_PATH_FOLDER } gw_path_kind;
gw_path_kind gw_option_path(const gw_option *option); // by the value's name in the help

// Adds all files that the command reads to the list of inputs (base/input_files.h).
gw_status gw_note_inputs(const gw_command *command, const void *arguments, char *const *operands,
                         int count) GW_MUST_CHECK;
// Fails if an output option names an input. Outputs with derived names are checked when they are made.
gw_status gw_refuse_inputs_as_outputs(const gw_command *command, const void *arguments) GW_MUST_CHECK;

// Fails with GW_ERR_USAGE if an output file has an ending that its option does not allow (gw_option.endings).
gw_status gw_check_endings(const gw_command *command, const void *arguments) GW_MUST_CHECK;
// The same check for one file, for commands in which the endings depend on other options. NULL and "-" are fine.
gw_status gw_check_ending(const char *path, const char *endings) GW_MUST_CHECK;

#endif
