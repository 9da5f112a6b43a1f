// SPDX-License-Identifier: MIT
// A folder in which a model's files gather until all of them are there and right: a file is FILE.part until its size
// and hash are what they are to be. What came stays there when a run ends, so that the next one goes on.
#ifndef GW_FETCH_STAGING_H
#define GW_FETCH_STAGING_H

#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *folder;
    int open;          // the folder; files are known by it and their names, so that no link leads elsewhere
    int64_t left;      // bytes that the files may have together
    gw_string sources; // a line a file: name, URL, bytes, SHA-256
} gw_staging;

typedef struct {
    const char *name, *url;
    const char *below;  // the folder below that the file lies in, a plain name; NULL: none
    const char *sha256; // NULL: any
    int64_t bytes;      // -1: any number up to `most`
    int64_t most;
    bool pinned; // the URL always gives the same bytes
    bool of_hub; // whose headers say size and hash
} gw_wanted_file;

// Makes the folder; a link, or a folder of another user, is refused. Release it also after a failure.
gw_status gw_staging_open(gw_staging *staging, const char *folder) GW_MUST_CHECK;
void gw_staging_free(gw_staging *staging); // the folder stays
// Downloads the file into the folder if it is missing. *found is false if the server does not have it.
gw_status gw_staging_take(gw_staging *staging, const gw_wanted_file *file, bool *found) GW_MUST_CHECK;

// Removes a folder of files and of folders of files; one that is not there is fine, one that is a link or another
// user's is refused.
gw_status gw_remove_folder(const char *folder) GW_MUST_CHECK;

#endif
