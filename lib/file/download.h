// SPDX-License-Identifier: MIT
// Downloads a file by http or https, with libcurl.
#ifndef GW_FILE_DOWNLOAD_H
#define GW_FILE_DOWNLOAD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Size and hash of a file in the headers of the Hugging Face hub: X-Linked-Size and X-Linked-ETag for a large file,
// which is stored on another server; ETag for a small one. A hash of 64 digits is a SHA-256. A hash of 40 digits is
// git's name of a blob: the SHA-1 of "blob SIZE", a zero byte and the file.
enum { GW_HUB_HASH_SIZE = 65 };

typedef struct {
    const char *origin;          // address of the hub: the beginning of the URL
    int64_t bytes;               // -1: not given
    char hash[GW_HUB_HASH_SIZE]; // lower-case digits; "": not given
    bool linked;                 // the hash is from X-Linked-ETag
    bool leaves, left;           // the next answer, or this one, is from another server, whose headers are ignored
} gw_hub_headers;

void gw_hub_headers_begin(gw_hub_headers *headers, const char *url);
// Adds one header line, with or without its line end, in the order of arrival, for redirections and the last answer.
void gw_hub_headers_add(gw_hub_headers *headers, const char *line, int64_t length);

typedef struct {
    const char *url;
    int folder;          // an open folder; bytes are written to `part` in it, which stays after a failure
    const char *part;    // must be a file of this user, not a link
    const char *name;    // for the progress
    int64_t bytes;       // expected; -1: unknown
    int64_t most;        // limit if the number is unknown
    bool resume;         // `part` is the beginning of the same file
    int stalled_seconds; // gives up after this time without a byte; 0: 60
} gw_download_options;

typedef struct {
    bool found;          // false: the server does not have the file, and no file is written
    bool resumed;        // continued an existing `part`
    gw_hub_headers said; // if the server is the hub
} gw_download_result;

// An interrupted transfer, fewer bytes than expected, more bytes (GW_ERR_MISMATCH), and more than 5 redirections are
// errors with the reason. If a server cannot continue in the middle, the file is downloaded from its beginning.
gw_status gw_download(const gw_download_options *options, gw_download_result *out) GW_MUST_CHECK;

#endif
