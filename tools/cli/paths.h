// SPDX-License-Identifier: MIT
// Which options of a command name files, and which of these the command reads: the tables say both.
#ifndef GW_TOOLS_CLI_PATHS_H
#define GW_TOOLS_CLI_PATHS_H

#include "tools/cli/cli.h"

typedef enum { GW_NO_PATH, GW_PATH_FILE, GW_PATH_FOLDER } gw_path_kind;
gw_path_kind gw_option_path(const gw_option *option); // the kind of the value, by its name in the help

// Notes every file that the command was given to read (base/input_files.h).
gw_status gw_note_inputs(const gw_command *command, const void *arguments, char *const *operands,
                         int count) GW_MUST_CHECK;
// Fails where an output option names one of them. Outputs whose names follow from an option's fail where they are made.
gw_status gw_refuse_inputs_as_outputs(const gw_command *command, const void *arguments) GW_MUST_CHECK;

// Fails, as wrong usage, where a file that is to be written has an ending that its option does not know
// (gw_option.endings).
gw_status gw_check_endings(const gw_command *command, const void *arguments) GW_MUST_CHECK;
// The same of one file, for commands where the endings depend on the other options; NULL and "-" are fine.
gw_status gw_check_ending(const char *path, const char *endings) GW_MUST_CHECK;

#endif
