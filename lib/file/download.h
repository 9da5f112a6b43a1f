// SPDX-License-Identifier: MIT
// A file from an address of http or https, by libcurl.
#ifndef GW_FILE_DOWNLOAD_H
#define GW_FILE_DOWNLOAD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// What the Hugging Face hub says of a file in the headers of its answers: X-Linked-Size and X-Linked-ETag of a large
// file, whose bytes lie on another server, ETag of a small one. A hash of 64 digits is a SHA-256; one of 40 is git's
// name of a blob, the SHA-1 of "blob SIZE", a zero byte and the file.
enum { GW_HUB_HASH_SIZE = 65 };

typedef struct {
    const char *origin;          // the hub's address: the beginning of the URL
    int64_t bytes;               // -1: it does not say
    char hash[GW_HUB_HASH_SIZE]; // lower-case digits; "": it does not say
    bool linked;                 // the hash is that of X-Linked-ETag
    bool leaves, left;           // the next answer, this one is of another server, whose headers do not count
} gw_hub_headers;

void gw_hub_headers_begin(gw_hub_headers *headers, const char *url);
// One line, with or without its end, in the order in which lines come: of redirections and of the last answer.
void gw_hub_headers_add(gw_hub_headers *headers, const char *line, int64_t length);

typedef struct {
    const char *url;
    int folder;          // an open folder; bytes are written to `part` in it and stay there also on failure
    const char *part;    // no link, and a file that belongs to this user alone
    const char *name;    // for the progress
    int64_t bytes;       // that are to come; -1: unknown
    int64_t most;        // that are taken where it is unknown
    bool resume;         // `part` is the beginning of the same file
    int stalled_seconds; // without a byte after which it is given up; 0: 60
} gw_download_options;

typedef struct {
    bool found;          // false: the server does not have the file, and none is written
    bool resumed;        // the beginning was there
    gw_hub_headers said; // where the server is the hub
} gw_download_result;

// A transfer that breaks off, fewer bytes than were to come, more (GW_ERR_MISMATCH), and more than 5 redirections are
// errors, which say why. Where a server cannot begin in the middle the file is fetched from its beginning.
gw_status gw_download(const gw_download_options *options, gw_download_result *out) GW_MUST_CHECK;

#endif
