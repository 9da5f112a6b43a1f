// SPDX-License-Identifier: MIT
// The files that a program was given to read, so that no output takes the place of one: outputs (base/output.h) ask
// here before they are made. Files are identified by device and inode, not by names and links.
#ifndef GW_BASE_INPUT_FILES_H
#define GW_BASE_INPUT_FILES_H

#include "base/status.h"

// Notes a file, NULL and "-" being standard input; what is no regular file, or not there, needs no care. To be called
// before threads are made.
gw_status gw_input_files_add(const char *path) GW_MUST_CHECK;
// Fails where the path leads to one of them. NULL and "-" stand for standard output.
gw_status gw_input_files_refuse(const char *path) GW_MUST_CHECK;
void gw_input_files_forget(void);

#endif
