// SPDX-License-Identifier: MIT
// A loop that answers the lines of requests of standard input, or of those who connect to a socket, side by side.
#ifndef GW_SERVE_SERVICE_H
#define GW_SERVE_SERVICE_H

#include "base/string.h"
#include "serve/answer.h"

enum { GW_MOST_CLIENTS = 64 };

typedef struct {
    const char *socket; // path of a Unix socket, which only this user may connect to; NULL: standard input and output
    int64_t most_bytes; // of a request
    int64_t write_wait; // seconds after which a client that reads no answers is let go
} gw_service_options;

// Until standard input ends, or until it is interrupted. Each line gets a line, in the order of its client's: that of
// gw_request_answer(), or too-large where it has more bytes than a request may have; a client too many gets busy. Of a
// client that has left nothing more is scored. A socket that a service left that was killed is taken over.
gw_status gw_service_run(gw_answerer *answerer, const gw_service_options *options) GW_MUST_CHECK;

// Lines of requests out of bytes as they come, none longer than a limit.

// Zero-initialise but for `most`.
typedef struct {
    gw_string text; // as it came
    int64_t used;   // bytes of it
    int64_t most;   // bytes a line
    bool too_long;  // the line begun is, and is passed over
} gw_request_lines;

void gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count);
// The next line, where it has come, without its end; NULL where it was too long. It is valid until the next call. Lines
// of blanks alone are passed over. ended: nothing more comes, and the last line needs no end.
gw_status gw_request_lines_next(gw_request_lines *lines, bool ended, bool *found, const char **line,
                                int64_t *length) GW_MUST_CHECK;
void gw_request_lines_free(gw_request_lines *lines);

#endif
