// SPDX-License-Identifier: MIT
// What the Hugging Face hub says of a file in the headers of its answers: X-Linked-Size and X-Linked-ETag of a large
// file, whose bytes lie on another server, ETag of a small one. A hash of 64 digits is a SHA-256; one of 40 is git's
// name of a blob, the SHA-1 of "blob SIZE", a zero byte and the file.
#ifndef GW_FILE_HUB_HEADERS_H
#define GW_FILE_HUB_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

enum { GW_HUB_HASH_SIZE = 65 };

typedef struct {
    const char *origin;          // the hub's address: the beginning of what was asked for
    int64_t bytes;               // -1: it does not say
    char hash[GW_HUB_HASH_SIZE]; // lower-case digits; "": it does not say
    bool linked;                 // the hash is that of X-Linked-ETag
    bool leaves, left;           // the next answer, this one is of another server, whose headers do not count
} gw_hub_headers;

void gw_hub_headers_begin(gw_hub_headers *headers, const char *url);
// One line, with or without its end, in the order in which lines come: of redirections and of the last answer.
void gw_hub_headers_add(gw_hub_headers *headers, const char *line, int64_t length);

#endif
