// SPDX-License-Identifier: MIT
// Whole JSON files, plain or compressed, that hold an object or a list.
#ifndef GW_SEQ_JSON_FILE_H
#define GW_SEQ_JSON_FILE_H

#include "base/status.h"

#include <jansson.h>

// Reads the file (NULL or "-": standard input); json_decref() it. What is not JSON, a key that stands twice in an
// object and a file that is cut short are errors that name the file, and where it is text the line.
gw_status gw_json_file(const char *path, json_t **out) GW_MUST_CHECK;

#endif
