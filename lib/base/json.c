// SPDX-License-Identifier: MIT
// Loads and checks JSON by jansson; every message names the file and the field.
#include "base/json.h"

#include "base/output.h"
#include "base/string.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// Python writes whole numbers of any size, transformers 10^30 for "no limit". Appends the text with "e0" behind those
// of 19 digits or more, which makes them real numbers.
static void append_without_huge_integers(gw_string *out, const char *bytes, int64_t length) {
    enum { DIGITS_OF_INT64 = 18 };
    bool in_string = false;
    for (int64_t at = 0, end; at < length; at = end) {
        end = at + 1;
        if (bytes[at] == '"') in_string = !in_string;
        else if (in_string && bytes[at] == '\\' && end < length) end++;
        else if (!in_string && strchr("0123456789+-.eE", bytes[at]) && bytes[at])
            while (end < length && bytes[end] && strchr("0123456789+-.eE", bytes[end])) end++;
        gw_string_append(out, bytes + at, end - at);
        bool whole = end - at > DIGITS_OF_INT64;
        for (int64_t i = at; i < end && whole; i++) whole = strchr("0123456789-", bytes[i]);
        if (whole) gw_string_puts(out, "e0");
    }
}

static json_t *parse(const char *bytes, int64_t length, json_error_t *error) {
    json_t *json = json_loadb(bytes, (size_t)length, JSON_REJECT_DUPLICATES, error);
    if (json || json_error_code(error) != json_error_numeric_overflow) return json;
    gw_string text = {0};
    append_without_huge_integers(&text, bytes, length);
    if (!text.failed) json = json_loadb(text.data, (size_t)text.length, JSON_REJECT_DUPLICATES, error);
    gw_string_free(&text);
    return json;
}

gw_status gw_json_check(const char *path, const char *bytes, int64_t length, int64_t *line) {
    const char *zero = memchr(bytes, 0, (size_t)length), *end = zero ? zero : bytes + length;
    for (const char *at = bytes; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) ++*line;
    return zero ? gw_fail(GW_ERR_FORMAT, "%s:%lld: not valid JSON: a zero byte", path, (long long)*line) : GW_OK;
}

gw_status gw_json_parse(const char *path, const char *bytes, int64_t length, json_t **out) {
    json_error_t error;
    int64_t line = 1;
    *out = NULL;
    GW_TRY(gw_json_check(path, bytes, length, &line));
    const int64_t mark = gw_utf8_mark(bytes, length);
    bytes += mark, length -= mark;
    *out = parse(bytes, length, &error);
    if (!*out) return gw_fail(GW_ERR_FORMAT, "%s:%d: not valid JSON: %s", path, error.line, error.text);
    if (json_is_object(*out)) return GW_OK;
    json_decref(*out);
    *out = NULL;
    return gw_fail(GW_ERR_FORMAT, "%s: expected a JSON object", path);
}

gw_status gw_json_load(const char *path, json_t **out) {
    char *bytes;
    int64_t length;
    GW_TRY(gw_read_file(path, &bytes, &length));
    const gw_status status = gw_json_parse(path, bytes, length, out);
    free(bytes);
    return status;
}

gw_status gw_json_save(const char *path, const json_t *json) {
    char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    if (!text) return gw_fail(GW_ERR_MEMORY, "cannot turn %s into JSON text", path);
    const size_t length = strlen(text);
    text[length] = '\n'; // in place of the final zero: gw_write_file takes a count
    const gw_status status = gw_write_file(path, text, (int64_t)length + 1);
    free(text);
    return status;
}

// Says what a field holds, cut to a length that a message has room for, and what it should be.
static gw_status wrong_type(const json_t *value, const char *path, const char *key, const char *expected) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    const gw_status status = gw_fail(GW_ERR_FORMAT, "%s: \"%s\" is %.40s%s, expected %s", path, key, text ? text : "?",
                                     text && strlen(text) > 40 ? "..." : "", expected);
    free(text);
    return status;
}

// The field, or NULL where it is absent and may be; *status says whether its absence is a failure.
static const json_t *field(const json_t *object, const char *path, const char *key, bool required, gw_status *status) {
    const json_t *value = json_object_get(object, key);
    *status = GW_OK;
    if (value && !json_is_null(value)) return value;
    if (required) *status = gw_fail(GW_ERR_FORMAT, "%s: the field \"%s\" is missing", path, key);
    return NULL;
}

gw_status gw_json_int(const json_t *object, const char *path, const char *key, bool required, int64_t min, int64_t max,
                      int64_t *out) {
    gw_status status;
    const json_t *value = field(object, path, key, required, &status);
    if (!value) return status;
    if (!json_is_integer(value)) return wrong_type(value, path, key, "a whole number");
    const int64_t number = json_integer_value(value);
    if (number < min || number > max)
        return gw_fail(GW_ERR_RANGE, "%s: \"%s\" is %lld, expected %lld to %lld", path, key, (long long)number,
                       (long long)min, (long long)max);
    *out = number;
    return GW_OK;
}

gw_status gw_json_double(const json_t *object, const char *path, const char *key, bool required, double *out) {
    gw_status status;
    const json_t *value = field(object, path, key, required, &status);
    if (!value) return status;
    if (!json_is_number(value)) return wrong_type(value, path, key, "a number");
    *out = json_number_value(value);
    return GW_OK;
}

gw_status gw_json_bool(const json_t *object, const char *path, const char *key, bool required, bool *out) {
    gw_status status;
    const json_t *value = field(object, path, key, required, &status);
    if (!value) return status;
    if (!json_is_boolean(value)) return wrong_type(value, path, key, "true or false");
    *out = json_is_true(value);
    return GW_OK;
}

gw_status gw_json_string(const json_t *object, const char *path, const char *key, bool required, const char **out) {
    gw_status status;
    const json_t *value = field(object, path, key, required, &status);
    if (!value) return status;
    if (!json_is_string(value)) return wrong_type(value, path, key, "a string");
    *out = json_string_value(value);
    return GW_OK;
}
