// SPDX-License-Identifier: MIT
// Passes decompressed bytes to jansson piece by piece, so that the text is never in memory together with its values.
#include "file/json_file.h"

#include "base/json.h"
#include "file/input.h"

#include <string.h>

typedef struct {
    gw_input *input;
    int64_t line;
    gw_status status;
} source;

static size_t give(void *buffer, size_t capacity, void *context) {
    source *s = context;
    int64_t count = 0;
    s->status = gw_input_read(s->input, buffer, (int64_t)capacity, &count);
    if (s->status == GW_OK) s->status = gw_json_check(gw_input_path(s->input), buffer, count, &s->line);
    return s->status == GW_OK ? (size_t)count : (size_t)-1;
}

gw_status gw_json_file(const char *path, json_t **out) {
    source s = {.line = 1};
    json_error_t error;
    *out = NULL;
    GW_TRY(gw_input_open(path, &s.input));
    gw_input_as_text(s.input);
    *out = json_load_callback(give, &s, JSON_REJECT_DUPLICATES, &error);
    if (!*out && s.status == GW_OK)
        s.status = gw_fail(GW_ERR_FORMAT, "%s:%d: not valid JSON: %s", gw_input_path(s.input), error.line, error.text);
    gw_input_close(s.input);
    return s.status;
}

gw_status gw_json_list(const json_t *object, const char *path, const char *key, bool required, json_t **out) {
    json_t *value = json_object_get(object, key);
    *out = json_is_array(value) ? value : NULL;
    if (*out) return GW_OK;
    if (value && !json_is_null(value)) return gw_fail(GW_ERR_FORMAT, "%s: \"%s\" is not a list", path, key);
    return required ? gw_fail(GW_ERR_FORMAT, "%s: the field \"%s\" is missing", path, key) : GW_OK;
}

gw_status gw_json_name(json_t *object, const char *path, const char *key, const char **out) {
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value)) {
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
        json_object_set_new(object, key, json_string(text));
    }
    return gw_json_string(object, path, key, true, out);
}
