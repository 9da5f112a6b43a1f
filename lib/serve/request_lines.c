// SPDX-License-Identifier: MIT
// Keeps what has no end yet; of a line that is too long nothing more.
#include "serve/service.h"

#include <string.h>

static void keep(gw_request_lines *lines, const char *bytes, int64_t count) {
    lines->too_long = lines->too_long || lines->line.length + count > lines->most;
    if (lines->too_long) gw_string_clear(&lines->line);
    else gw_string_append(&lines->line, bytes, count);
}

static bool is_blank(const gw_string *line) {
    return line->length == 0 || (int64_t)strspn(line->data, " \t\r") == line->length;
}

static gw_status use_line(gw_request_lines *lines, gw_request_use *use, void *context) {
    gw_status status = gw_string_status(&lines->line);
    if (status == GW_OK && lines->too_long) status = use(context, NULL, 0);
    else if (status == GW_OK && !is_blank(&lines->line)) status = use(context, lines->line.data, lines->line.length);
    gw_string_clear(&lines->line);
    lines->too_long = false;
    return status;
}

gw_status gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count, gw_request_use *use,
                               void *context) {
    const char *at = bytes, *end = bytes + count;
    for (const char *newline; at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
        keep(lines, at, newline - at);
        GW_TRY(use_line(lines, use, context));
    }
    keep(lines, at, end - at);
    return GW_OK;
}

gw_status gw_request_lines_end(gw_request_lines *lines, gw_request_use *use, void *context) {
    return use_line(lines, use, context);
}

void gw_request_lines_free(gw_request_lines *lines) {
    gw_string_free(&lines->line);
}
