// SPDX-License-Identifier: MIT
// A file from an address of http or https, by libcurl.
#ifndef GW_FILE_DOWNLOAD_H
#define GW_FILE_DOWNLOAD_H

#include "file/hub_headers.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *url;
    int folder;          // an open one; what comes is written to `part` in it, and stays there whatever happens
    const char *part;    // no link, and a file that belongs to this user alone
    const char *name;    // for the progress
    int64_t bytes;       // that are to come; -1: unknown
    int64_t most;        // that are taken where it is unknown
    bool resume;         // what stands there is the beginning of the same file
    int stalled_seconds; // without a byte after which it is given up; 0: 60
} gw_download_options;

typedef struct {
    bool found;          // false: the server has no such file, and none is written
    bool resumed;        // the beginning was there
    gw_hub_headers said; // where the server is the hub
} gw_download_result;

// A transfer that breaks off, fewer bytes than were to come, more (GW_ERR_MISMATCH), and more than 5 redirections are
// errors, which say why. Where a server cannot begin in the middle the file is fetched from its beginning.
gw_status gw_download(const gw_download_options *options, gw_download_result *out) GW_MUST_CHECK;

#endif
