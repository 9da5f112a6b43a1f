// SPDX-License-Identifier: MIT
// JSON files through jansson, with messages that name the file and the field.
#ifndef GW_BASE_JSON_H
#define GW_BASE_JSON_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Reads a whole file that holds one JSON object, behind a byte order mark or not; json_decref() it.
gw_status gw_json_load(const char *path, json_t **out) GW_MUST_CHECK;
// The same of bytes in memory; `path` is for messages. Whole numbers too large for int64_t are read as real ones.
gw_status gw_json_parse(const char *path, const char *bytes, int64_t length, json_t **out) GW_MUST_CHECK;
// Fails at a zero byte, which jansson passes over behind a number; *line, from 1 on, counts on through the pieces of a
// text.
gw_status gw_json_check(const char *path, const char *bytes, int64_t length, int64_t *line) GW_MUST_CHECK;
// Writes with two spaces of indentation, key order kept, a newline at the end, atomically. Numbers have 15 significant
// digits: 0.1 is written as 0.1.
gw_status gw_json_save(const char *path, const json_t *json) GW_MUST_CHECK;

// Typed fields of `object`. A missing (or null) field leaves *out as it is where `required` is false; a field of
// another type or outside [min, max] is an error that names `path` (the file) and the key.
gw_status gw_json_int(const json_t *object, const char *path, const char *key, bool required, int64_t min, int64_t max,
                      int64_t *out) GW_MUST_CHECK;
gw_status gw_json_double(const json_t *object, const char *path, const char *key, bool required,
                         double *out) GW_MUST_CHECK;
gw_status gw_json_bool(const json_t *object, const char *path, const char *key, bool required, bool *out) GW_MUST_CHECK;
// *out borrows from the JSON value.
gw_status gw_json_string(const json_t *object, const char *path, const char *key, bool required,
                         const char **out) GW_MUST_CHECK;

#endif
