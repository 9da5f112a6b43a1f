// SPDX-License-Identifier: MIT
// A folder that collects the files of a model until all are present and correct. A file is named FILE.part until its
// size and hash are checked. Downloaded bytes stay when a run ends, so that the next run continues.
#ifndef GW_FETCH_STAGING_H
#define GW_FETCH_STAGING_H

#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *folder;
    int open;          // the open folder; files are opened relative to it, so that no link leads elsewhere
    int64_t left;      // bytes that the remaining files may have together
    gw_string sources; // one line for each file: name, URL, bytes, SHA-256
} gw_staging;

typedef struct {
    const char *name, *url;
    const char *below;  // a plain name of a subfolder for the file; NULL: none
    const char *sha256; // NULL: any
    int64_t bytes;      // -1: any number up to `most`
    int64_t most;
    bool pinned; // the URL always gives the same bytes
    bool of_hub; // from the hub, whose headers give size and hash
} gw_wanted_file;

// Makes the folder. A link, or another user's folder, is an error. Release `staging`, also after a failure.
gw_status gw_staging_open(gw_staging *staging, const char *folder) GW_MUST_CHECK;
void gw_staging_free(gw_staging *staging); // the folder stays
// Downloads the file into the folder if it is missing. *found is false if the server does not have it.
gw_status gw_staging_take(gw_staging *staging, const gw_wanted_file *file, bool *found) GW_MUST_CHECK;

// Removes a folder of files and subfolders with files. A missing folder is fine. A link, or another user's folder, is
// an error.
gw_status gw_remove_folder(const char *folder) GW_MUST_CHECK;

#endif
