// SPDX-License-Identifier: MIT
// A file from a URL (http, https, ftp, file) through HTSlib, which has these where it was built with libcurl.
#ifndef GW_FILE_DOWNLOAD_H
#define GW_FILE_DOWNLOAD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *url, *path; // what is written stands at `path` whatever happens
    const char *name;       // for the progress
    int64_t bytes;          // that are to come; -1: unknown
    bool resume;            // what stands there is the beginning of the same file
} gw_download_options;

typedef struct {
    bool found;   // false: the server has no such file, and none is written
    bool resumed; // the beginning was there
} gw_download_result;

// A transfer that breaks off, fewer bytes than were to come, or more, are errors. Where a server cannot begin in the
// middle the file is fetched from its beginning.
gw_status gw_download(const gw_download_options *options, gw_download_result *out) GW_MUST_CHECK;

#endif
