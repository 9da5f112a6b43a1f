// SPDX-License-Identifier: MIT
// A loop that answers the lines of requests of standard input, or of those who connect to a socket, one after another.
#ifndef GW_SERVE_SERVICE_H
#define GW_SERVE_SERVICE_H

#include "serve/answer.h"

enum { GW_MOST_CLIENTS = 64 };

typedef struct {
    const char *socket; // path of a Unix socket, which only this user may connect to; NULL: standard input and output
    int64_t most_bytes; // of a request
    int64_t write_wait; // seconds after which a client that reads no answers is let go
} gw_service_options;

// Until standard input ends, or until it is interrupted. Each line gets a line: that of gw_answer(), too-large where it
// has more bytes than a request may have; a client too many gets busy. A socket that a service left that was killed is
// taken over.
gw_status gw_service_run(gw_answerer *answerer, const gw_service_options *options) GW_MUST_CHECK;

#endif
