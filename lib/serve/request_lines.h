// SPDX-License-Identifier: MIT
// Lines of requests out of bytes as they come, none longer than a limit.
#ifndef GW_SERVE_REQUEST_LINES_H
#define GW_SERVE_REQUEST_LINES_H

#include "base/string.h"

// Zero-initialise but for `most`.
typedef struct {
    gw_string line; // begun
    int64_t most;   // bytes a line
    bool too_long;  // the line begun is, and is passed over
} gw_request_lines;

// What is done with a line: without its end, and NULL where it was too long.
typedef gw_status gw_request_use(void *context, const char *line, int64_t length);

// Takes the next bytes; each line that they end is used. Lines of blanks alone are passed over.
gw_status gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count, gw_request_use *use,
                               void *context) GW_MUST_CHECK;
// The last line, where it has no end.
gw_status gw_request_lines_end(gw_request_lines *lines, gw_request_use *use, void *context) GW_MUST_CHECK;
void gw_request_lines_free(gw_request_lines *lines);

#endif
