// SPDX-License-Identifier: MIT
// The list of input files of a program. Outputs (base/output.h) ask this list before they are made, so that no output
// replaces an input. Files are identified by device and inode, not by name.
#ifndef GW_BASE_INPUT_FILES_H
#define GW_BASE_INPUT_FILES_H

#include "base/status.h"

// Adds a file to the list. NULL and "-" are standard input. Missing files and files that are not regular are ignored.
// Call this before threads are made.
gw_status gw_input_files_add(const char *path) GW_MUST_CHECK;
// Fails if the path leads to an input file. NULL and "-" are standard output.
gw_status gw_input_files_refuse(const char *path) GW_MUST_CHECK;
void gw_input_files_forget(void);

#endif
