// SPDX-License-Identifier: MIT
// Fetches to FILE.part, compares, and gives the file its name.
#include "fetch/staging.h"

#include "base/memory.h"
#include "base/output.h"
#include "file/download.h"
#include "file/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gw_status gw_staging_open(gw_staging *staging, const char *folder) {
    *staging = (gw_staging){.folder = folder};
    return gw_make_directory(folder);
}

void gw_staging_free(gw_staging *staging) {
    gw_string_free(&staging->sources);
}

static gw_status cannot(const char *verb, const char *path) {
    return gw_fail(GW_ERR_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

// A hash that differs is distinguished from other failures: the bytes are worthless then.
static gw_status check_hash(const gw_wanted_file *file, const char *path, char hex[GW_SHA256_HEX], int64_t *bytes) {
    GW_TRY(gw_sha256_file(path, hex, bytes));
    if (!file->sha256 || strcmp(hex, file->sha256) == 0) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s: the SHA-256 of what came is %s, expected %s; it was removed", file->url, hex,
                   file->sha256);
}

static gw_status fetch_once(const gw_wanted_file *file, const char *part, bool resume, gw_download_result *result) {
    const gw_download_options options = {
        .url = file->url, .path = part, .name = file->name, .bytes = file->bytes, .resume = resume};
    char hex[GW_SHA256_HEX];
    int64_t bytes;
    gw_status status = gw_download(&options, result);
    if (status == GW_OK && result->found) status = check_hash(file, part, hex, &bytes);
    if (status == GW_ERR_MISMATCH) unlink(part);
    return status;
}

// What was begun may be of another file: once more from the beginning then.
static gw_status fetch(const gw_wanted_file *file, const char *part, bool *found) {
    gw_download_result result;
    gw_status status = fetch_once(file, part, file->pinned, &result);
    if (status == GW_ERR_MISMATCH && result.resumed) status = fetch_once(file, part, false, &result);
    *found = result.found;
    return status;
}

// Whether an earlier run has fetched it.
static bool is_there(const gw_wanted_file *file, const char *path) {
    char hex[GW_SHA256_HEX];
    int64_t bytes;
    if (!file->pinned || !gw_file_exists(path)) return false;
    return check_hash(file, path, hex, &bytes) == GW_OK;
}

static gw_status note_source(gw_staging *staging, const gw_wanted_file *file, const char *path) {
    char hex[GW_SHA256_HEX];
    int64_t bytes;
    GW_TRY(check_hash(file, path, hex, &bytes));
    gw_string_printf(&staging->sources, "%s\t%s\t%lld\t%s\n", file->name, file->url, (long long)bytes, hex);
    return gw_string_status(&staging->sources);
}

gw_status gw_staging_take(gw_staging *staging, const gw_wanted_file *file, bool *found) {
    char *path = gw_join_path(staging->folder, file->name), *part = path ? gw_strprintf("%s.part", path) : NULL;
    gw_status status = part ? GW_OK : GW_ERR_MEMORY;
    *found = status == GW_OK && is_there(file, path);
    if (status == GW_OK && !*found) {
        status = fetch(file, part, found);
        if (status == GW_OK && *found && rename(part, path) != 0) status = cannot("rename", part);
        if (status == GW_OK && !*found) unlink(path); // of an earlier run
    }
    if (status == GW_OK && *found) status = note_source(staging, file, path);
    free(path);
    free(part);
    return status;
}

gw_status gw_remove_folder(const char *folder) {
    DIR *entries = opendir(folder);
    if (!entries) return errno == ENOENT ? GW_OK : cannot("open", folder);
    for (const struct dirent *e; (e = readdir(entries));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(dirfd(entries), e->d_name, 0);
    closedir(entries);
    return rmdir(folder) == 0 ? GW_OK : cannot("remove", folder);
}
