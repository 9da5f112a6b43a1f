// SPDX-License-Identifier: MIT
// Hands jansson the decompressed bytes piece by piece: the text is never in memory beside what it says.
#include "seq/json_file.h"

#include "base/json.h"
#include "seq/input.h"

typedef struct {
    gw_input *input;
    int64_t line;
    gw_status status;
} source;

static size_t give(void *buffer, size_t room, void *context) {
    source *s = context;
    int64_t count = 0;
    s->status = gw_input_read(s->input, buffer, (int64_t)room, &count);
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
