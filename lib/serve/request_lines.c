// SPDX-License-Identifier: MIT
// Keeps what has no end yet; of a line that is too long nothing more.
#include "serve/service.h"

#include <string.h>

void gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count) {
    gw_string *text = &lines->text;
    if (lines->used > 0) {
        memmove(text->data, text->data + lines->used, (size_t)(text->length - lines->used));
        gw_string_cut(text, text->length - lines->used);
        lines->used = 0;
    }
    gw_string_append(text, bytes, count);
}

static bool is_blank(const char *line, int64_t length) {
    int64_t at = 0;
    while (at < length && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) at++;
    return at == length;
}

gw_status gw_request_lines_next(gw_request_lines *lines, bool ended, bool *found, const char **line, int64_t *length) {
    gw_string *text = &lines->text;
    *found = false;
    GW_TRY(gw_string_status(text));
    while (!*found && (lines->used < text->length || (ended && lines->too_long))) {
        const char *begin = text->data + lines->used;
        const int64_t rest = text->length - lines->used;
        const char *newline = rest > 0 ? memchr(begin, '\n', (size_t)rest) : NULL;
        *length = newline ? newline - begin : rest;
        lines->too_long = lines->too_long || *length > lines->most;
        if (!newline && !ended) { // it goes on
            if (lines->too_long) gw_string_clear(text), lines->used = 0;
            return GW_OK;
        }
        *line = lines->too_long ? NULL : begin;
        *found = lines->too_long || !is_blank(begin, *length);
        lines->used += *length + (newline ? 1 : 0);
        lines->too_long = false;
    }
    return GW_OK;
}

void gw_request_lines_free(gw_request_lines *lines) {
    gw_string_free(&lines->text);
}
