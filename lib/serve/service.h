// SPDX-License-Identifier: MIT
// The loop of a service. It answers requests, one a line, from standard input or from several clients of a socket.
#ifndef GW_SERVE_SERVICE_H
#define GW_SERVE_SERVICE_H

#include "base/string.h"
#include "serve/answer.h"

enum { GW_MOST_CLIENTS = 64 };

typedef struct {
    const char *socket; // path of a Unix socket for this user only; NULL: standard input and output
    int64_t most_bytes; // of a request
    int64_t write_wait; // seconds after which a client that reads no answers is disconnected
} gw_service_options;

// Runs until standard input ends, or until an interruption. Each request gets one line, in the order of its client's
// requests: the answer of gw_request_answer(), or too-large if the request has too many bytes. A client beyond the
// limit gets busy. Requests of a disconnected client are dropped. A socket left by a killed service is replaced.
gw_status gw_service_run(gw_answerer *answerer, const gw_service_options *options) GW_MUST_CHECK;

// Splits incoming bytes into lines, with a limit for their length.

// Zero-initialise, except `most`.
typedef struct {
    gw_string text; // received bytes
    int64_t used;   // processed bytes of it
    int64_t most;   // most bytes of a line
    bool too_long;  // the current line is too long and will be skipped
} gw_request_lines;

void gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count);
// The next complete line, without its end; NULL if it was too long. It is valid until the next call. Blank lines are
// skipped. ended: no more bytes come, and the last line needs no end.
gw_status gw_request_lines_next(gw_request_lines *lines, bool ended, bool *found, const char **line,
                                int64_t *length) GW_MUST_CHECK;
void gw_request_lines_free(gw_request_lines *lines);

#endif
