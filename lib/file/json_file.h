// SPDX-License-Identifier: MIT
// Whole JSON files, plain or compressed, that hold an object or a list.
#ifndef GW_FILE_JSON_FILE_H
#define GW_FILE_JSON_FILE_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>

// Reads the file (NULL or "-": standard input); json_decref() it. What is not JSON, a key that stands twice in an
// object and a file that is cut short are errors that name the file, and where it is text the line.
gw_status gw_json_file(const char *path, json_t **out) GW_MUST_CHECK;

// A list of an object, borrowed; NULL where it is missing, or null, and may be.
gw_status gw_json_list(const json_t *object, const char *path, const char *key, bool required,
                       json_t **out) GW_MUST_CHECK;
// A name, such as an id: text, or a whole number, which is replaced by its text. *out borrows from the JSON value.
gw_status gw_json_name(json_t *object, const char *path, const char *key, const char **out) GW_MUST_CHECK;

#endif
