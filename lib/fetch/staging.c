// SPDX-License-Identifier: MIT
// Downloads to FILE.part, checks the file, and gives it its name.
#include "fetch/staging.h"

#include "base/memory.h"
#include "base/number.h"
#include "file/digest.h"
#include "file/download.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    int64_t bytes;
    char sha256[GW_SHA256_HEX], sha1[GW_SHA1_HEX], git[GW_SHA1_HEX]; // git: what git calls a file of these bytes
} digest;

static gw_status cannot(const char *verb, const char *path) {
    return gw_fail(GW_ERR_IO, "cannot %s %s: %s", verb, path, strerror(errno));
}

// Opens a folder that this user, or whoever owns the folder that holds it, has made. *out is -1 where there is none.
static gw_status open_own(int at, const char *folder, int *out) {
    struct stat own, above;
    *out = openat(at, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*out < 0 && errno == ENOENT) return GW_OK;
    if (*out < 0 && (errno == ENOTDIR || errno == ELOOP))
        return gw_fail(GW_ERR_IO, "%s is a link or a file, expected a folder of godwit's own: remove it", folder);
    if (*out < 0) return cannot("open", folder);
    if (fstat(*out, &own) == 0 && fstatat(*out, "..", &above, 0) == 0 &&
        (own.st_uid == geteuid() || own.st_uid == above.st_uid))
        return GW_OK;
    close(*out);
    *out = -1;
    return gw_fail(GW_ERR_IO, "%s belongs to another user: remove it first", folder);
}

static gw_status make_own(int at, const char *folder, int *out) {
    GW_TRY(open_own(at, folder, out));
    if (*out >= 0) return GW_OK;
    if (mkdirat(at, folder, 0777) != 0) return cannot("create", folder);
    GW_TRY(open_own(at, folder, out));
    return *out >= 0 ? GW_OK : cannot("open", folder);
}

gw_status gw_staging_open(gw_staging *staging, const char *folder) {
    *staging = (gw_staging){.folder = folder, .open = -1, .left = INT64_C(1) << 40};
    return make_own(AT_FDCWD, folder, &staging->open);
}

void gw_staging_free(gw_staging *staging) {
    if (staging->folder && staging->open >= 0) close(staging->open);
    gw_string_free(&staging->sources);
}

// *there is false where no file has that name.
static gw_status read_digest(const gw_staging *staging, const char *name, digest *out, bool *there) {
    unsigned char piece[1 << 14];
    char head[32];
    struct stat info;
    gw_sha256 sha256;
    gw_sha1 sha1, git;
    ssize_t count;
    const int file = openat(staging->open, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *there = file >= 0 || errno != ENOENT;
    if (!*there) return GW_OK;
    if (file < 0 || fstat(file, &info) != 0) {
        const gw_status status = cannot("read", name);
        if (file >= 0) close(file);
        return status;
    }
    gw_sha256_start(&sha256);
    gw_sha1_start(&sha1);
    gw_sha1_start(&git);
    gw_sha1_add(&git, head, snprintf(head, sizeof head, "blob %lld", (long long)info.st_size) + 1);
    while ((count = read(file, piece, sizeof piece)) > 0) {
        gw_sha256_add(&sha256, piece, count);
        gw_sha1_add(&sha1, piece, count);
        gw_sha1_add(&git, piece, count);
    }
    const gw_status status = count < 0 ? cannot("read", name) : GW_OK;
    close(file);
    out->bytes = (int64_t)sha256.bytes;
    gw_sha256_finish(&sha256, out->sha256);
    gw_sha1_finish(&sha1, out->sha1);
    gw_sha1_finish(&git, out->git);
    return status;
}

static gw_status other_hash(const gw_wanted_file *file, const char *kind, const char *found, const char *expected) {
    return gw_fail(GW_ERR_MISMATCH, "%s: the %s of the downloaded file is %s, expected %s; it was removed", file->url,
                   kind, found, expected);
}

// A file that differs is distinguished from other failures: the bytes are worthless then.
static gw_status check(const gw_wanted_file *file, const gw_hub_headers *said, const digest *of) {
    if (file->sha256 && strcmp(of->sha256, file->sha256) != 0)
        return other_hash(file, "SHA-256", of->sha256, file->sha256);
    if (!file->of_hub || !said) return GW_OK;
    if (said->bytes >= 0 && said->bytes != of->bytes)
        return gw_fail(GW_ERR_MISMATCH, "%s: received %lld bytes, expected %lld; it was removed", file->url,
                       (long long)of->bytes, (long long)said->bytes);
    if (strlen(said->hash) == GW_SHA256_HEX - 1)
        return strcmp(of->sha256, said->hash) == 0 ? GW_OK : other_hash(file, "SHA-256", of->sha256, said->hash);
    // The hub gives git's name; mirrors may give the SHA-1 itself.
    if (!said->hash[0] || strcmp(of->git, said->hash) == 0 || strcmp(of->sha1, said->hash) == 0) return GW_OK;
    return other_hash(file, "SHA-1 of git", of->git, said->hash);
}

static gw_status fetch_once(const gw_staging *staging, const gw_wanted_file *file, const char *part, bool resume,
                            gw_download_result *result, digest *of) {
    const gw_download_options options = {.url = file->url,
                                         .folder = staging->open,
                                         .part = part,
                                         .name = file->name,
                                         .bytes = file->bytes,
                                         .most = gw_min(file->most, staging->left),
                                         .resume = resume};
    bool there = true;
    gw_status status = gw_download(&options, result);
    if (status == GW_OK && result->found) status = read_digest(staging, part, of, &there);
    if (status == GW_OK && result->found) status = there ? check(file, &result->said, of) : cannot("read", part);
    if (status == GW_ERR_MISMATCH) unlinkat(staging->open, part, 0);
    return status;
}

gw_status gw_staging_take(gw_staging *staging, const gw_wanted_file *file, bool *found) {
    digest of;
    gw_staging in = *staging; // the folder of the file itself
    *found = false;
    if (file->below) GW_TRY(make_own(staging->open, file->below, &in.open));
    char *part = gw_strprintf("%s.part", file->name);
    gw_status status = part ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && file->pinned) // an earlier run may have fetched it
        *found = read_digest(&in, file->name, &of, found) == GW_OK && *found && check(file, NULL, &of) == GW_OK;
    if (status == GW_OK && !*found) {
        gw_download_result result;
        status = fetch_once(&in, file, part, file->pinned, &result, &of);
        if (status == GW_ERR_MISMATCH && result.resumed) // what was begun may be of another file: from the beginning
            status = fetch_once(&in, file, part, false, &result, &of);
        *found = result.found;
        if (status == GW_OK && *found && renameat(in.open, part, in.open, file->name) != 0)
            status = cannot("rename", part);
        if (status == GW_OK && !*found) unlinkat(in.open, file->name, 0); // of an earlier run
    }
    free(part);
    if (file->below) close(in.open);
    if (status != GW_OK || !*found) return status;
    staging->left -= of.bytes;
    gw_string_printf(&staging->sources, "%s%s%s\t%s\t%lld\t%s\n", file->below ? file->below : "",
                     file->below ? "/" : "", file->name, file->url, (long long)of.bytes, of.sha256);
    return gw_string_status(&staging->sources);
}

// Folders in folders of folders stay, and with them those above, which are not empty then.
static gw_status remove_folder(int at, const char *folder, int depth) {
    int open;
    GW_TRY(open_own(at, folder, &open));
    DIR *entries = open >= 0 ? fdopendir(open) : NULL;
    if (open < 0) return GW_OK;
    if (!entries) {
        close(open);
        return cannot("open", folder);
    }
    gw_status status = GW_OK;
    for (const struct dirent *e; status == GW_OK && (e = readdir(entries));) {
        struct stat info;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (depth > 0 && fstatat(open, e->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode))
            status = remove_folder(open, e->d_name, depth - 1);
        else unlinkat(open, e->d_name, 0);
    }
    closedir(entries);
    if (status != GW_OK) return status;
    return unlinkat(at, folder, AT_REMOVEDIR) == 0 ? GW_OK : cannot("remove", folder);
}

gw_status gw_remove_folder(const char *folder) {
    return remove_folder(AT_FDCWD, folder, 1);
}
