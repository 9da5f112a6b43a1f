// SPDX-License-Identifier: MIT
// Whole JSON files with an object or a list, plain or compressed.
#ifndef GW_FILE_JSON_FILE_H
#define GW_FILE_JSON_FILE_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>

// Reads the file (NULL or "-": standard input). Free *out with json_decref(). Invalid JSON, a repeated key in an object
// and a truncated file are errors that name the file and, for text, the line.
gw_status gw_json_file(const char *path, json_t **out) GW_MUST_CHECK;

// Sets *out to a list of an object, borrowed. If not `required`, a missing or null list gives NULL.
gw_status gw_json_list(const json_t *object, const char *path, const char *key, bool required,
                       json_t **out) GW_MUST_CHECK;
// Sets *out to a name, such as an id: a text, or an integer, which its text replaces. *out points into the JSON value.
gw_status gw_json_name(json_t *object, const char *path, const char *key, const char **out) GW_MUST_CHECK;

#endif
