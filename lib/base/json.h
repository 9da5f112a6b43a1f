// SPDX-License-Identifier: MIT
// JSON files through jansson, with messages that name the file and the field.
#ifndef GW_BASE_JSON_H
#define GW_BASE_JSON_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Reads a whole file that holds one JSON object. A byte order mark may precede the object. Free the object with
// json_decref().
gw_status gw_json_load(const char *path, json_t **out) GW_MUST_CHECK;
// The same for bytes in memory; `path` is for messages. Integers that are too large for int64_t are read as real
// numbers.
gw_status gw_json_parse(const char *path, const char *bytes, int64_t length, json_t **out) GW_MUST_CHECK;
// Fails at a zero byte, because jansson ignores a zero byte behind a number. *line is the line number for messages,
// from 1; the call advances *line, so that a text may be checked in pieces.
gw_status gw_json_check(const char *path, const char *bytes, int64_t length, int64_t *line) GW_MUST_CHECK;
// Writes the file atomically: two spaces of indentation, the order of keys kept, a newline at the end. Numbers have 15
// significant digits: 0.1 is written as 0.1.
gw_status gw_json_save(const char *path, const json_t *json) GW_MUST_CHECK;

// Read typed fields of `object`. If `required` is false, a missing (or null) field leaves *out unchanged. A field of
// another type or outside [min, max] is an error that names `path` (the file) and the key.
gw_status gw_json_int(const json_t *object, const char *path, const char *key, bool required, int64_t min, int64_t max,
                      int64_t *out) GW_MUST_CHECK;
gw_status gw_json_double(const json_t *object, const char *path, const char *key, bool required,
                         double *out) GW_MUST_CHECK;
gw_status gw_json_bool(const json_t *object, const char *path, const char *key, bool required, bool *out) GW_MUST_CHECK;
// *out points into the JSON value.
gw_status gw_json_string(const json_t *object, const char *path, const char *key, bool required,
                         const char **out) GW_MUST_CHECK;

#endif
