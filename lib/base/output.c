// SPDX-License-Identifier: MIT
// Open temporary files are in a fixed array of pointers, so that a signal handler can read it. Devices and pipes
// (/dev/null, /dev/full, a fifo) are written directly, because renaming a file over them would replace them. Renaming
// over a symbolic link would replace the link, so the file that it points to is written.
#include "base/output.h"

#include "base/input_files.h"
#include "base/memory.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_TEMPORARIES = 64, MOST_OWN = 16, MOST_LINKS = 40 };
static _Atomic(char *) temporaries[OPEN_TEMPORARIES];
// Files under names that another process may take: each is removed only while it is the one that was noted.
static struct {
    _Atomic(int) state; // FREE, NOTED, or BUSY while one thread changes or reads the rest
    const char *path;
    dev_t device;
    ino_t inode;
} own[MOST_OWN];
enum { FREE, BUSY, NOTED };
// Finished files that wait for gw_outputs_end(); each is registered above, so they are never more.
static gw_output_name held[OPEN_TEMPORARIES];
static int held_count;
static bool holding;
static char *made[OPEN_TEMPORARIES]; // folders, in the order in which they were made between begin and end
static int made_count;
static char *needless[OPEN_TEMPORARIES]; // files to be removed at the end
static int needless_count;

static gw_status cannot(const char *verb, const char *path) {
    const gw_status code = errno == EPIPE ? GW_ERR_PIPE : GW_ERR_IO;
    return gw_fail(code, "cannot %s %s: %s", verb, path ? path : "standard output", strerror(errno));
}

// "<path>.tmp.<host>-" with the host's name up to its first dot: process numbers mean something on one host only.
static char *temporary_prefix(const char *path) {
    char host[65] = "";
    if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
    host[strcspn(host, "./")] = 0;
    return gw_strprintf("%s.tmp.%s-", path, host);
}

// Removes what processes of this host that were killed have left under the temporary names of this output.
static void remove_remains(const char *prefix) {
    const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
    const size_t length = strlen(name);
    char *folder = slash ? gw_strndup(prefix, (size_t)(slash - prefix) + 1) : gw_strdup(".");
    DIR *entries = folder ? opendir(folder) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries)) != NULL;) {
        int64_t process;
        if (strncmp(e->d_name, name, length) != 0) continue;
        if (gw_parse_int(e->d_name + length, 1, INT32_MAX, &process) != GW_OK) continue;
        if (kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
        unlinkat(dirfd(entries), e->d_name, 0);
    }
    if (entries) closedir(entries);
    free(folder);
}

static char *make_temporary(const char *path) {
    char *prefix = temporary_prefix(path);
    if (!prefix) return NULL;
    remove_remains(prefix);
    char *temporary = gw_strprintf("%s%ld", prefix, (long)getpid());
    free(prefix);
    return temporary;
}

static bool remember(char *temporary) {
    for (int i = 0; i < OPEN_TEMPORARIES; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&temporaries[i], &empty, temporary)) return true;
    }
    return false;
}

static void forget(char *temporary) {
    for (int i = 0; i < OPEN_TEMPORARIES; i++) {
        char *expected = temporary;
        if (atomic_compare_exchange_strong(&temporaries[i], &expected, NULL)) return;
    }
}

static bool is_open(const char *temporary) {
    for (int i = 0; i < OPEN_TEMPORARIES; i++) {
        const char *other = atomic_load(&temporaries[i]);
        if (other && strcmp(other, temporary) == 0) return true;
    }
    return false;
}

bool gw_outputs_discard_too(const char *path) {
    struct stat info;
    for (int i = 0; i < MOST_OWN; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&own[i].state, &expected, BUSY)) continue;
        const bool found = lstat(path, &info) == 0;
        own[i].path = path;
        own[i].device = found ? info.st_dev : 0;
        own[i].inode = found ? info.st_ino : 0;
        atomic_store(&own[i].state, found ? NOTED : FREE);
        return found;
    }
    return false;
}

// Takes the file of this slot, if there is one, off the list and the disk. `path`: only that file; NULL: any.
static void remove_own(int slot, const char *path) {
    struct stat info;
    int expected = NOTED;
    if (!atomic_compare_exchange_strong(&own[slot].state, &expected, BUSY)) return;
    const bool meant = !path || own[slot].path == path;
    if (meant && lstat(own[slot].path, &info) == 0 && info.st_dev == own[slot].device && info.st_ino == own[slot].inode)
        unlink(own[slot].path);
    atomic_store(&own[slot].state, meant ? FREE : NOTED);
}

void gw_outputs_remove_own(const char *path) {
    for (int i = 0; i < MOST_OWN; i++) remove_own(i, path);
}

void gw_outputs_discard(void) {
    for (int i = 0; i < OPEN_TEMPORARIES; i++) {
        char *temporary = atomic_exchange(&temporaries[i], NULL);
        if (temporary) unlink(temporary);
    }
    for (int i = 0; i < MOST_OWN; i++) remove_own(i, NULL);
}

static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Names that stand for themselves are neither registered, renamed nor removed.
static bool is_direct(const gw_output_name *name) {
    return strcmp(name->path, name->temporary) == 0;
}

// *path becomes what it leads to over symbolic links, the last of which may lead to a file that is still to be made.
static gw_status follow_links(char **path) {
    char target[PATH_MAX];
    for (int links = 0; links <= MOST_LINKS; links++) {
        const ssize_t length = readlink(*path, target, sizeof target);
        if (length < 0) return GW_OK;
        const char *slash = target[0] == '/' ? NULL : strrchr(*path, '/');
        const int folder = slash ? (int)(slash - *path) + 1 : 0;
        char *next = gw_strprintf("%.*s%.*s", folder, *path, (int)length, target);
        free(*path);
        *path = next;
        if (!next) return GW_ERR_MEMORY;
    }
    errno = ELOOP;
    return cannot("write", *path);
}

// Renaming asks for no right to write the file that gives way.
static gw_status check_writable(const char *path) {
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 || errno == ENOENT) return GW_OK;
    return gw_fail(GW_ERR_IO, "cannot write %s: the file exists and cannot be overwritten: %s", path, strerror(errno));
}

static gw_status find_names(gw_output_name *name, const char *path) {
    // HTSlib takes "mem:x" and "s3://x" for other things than files; behind "./" it does not.
    const bool has_scheme = path[strcspn(path, ":/")] == ':';
    name->path = gw_strprintf("%s%s", has_scheme ? "./" : "", path);
    if (!name->path) return GW_ERR_MEMORY;
    const bool special = is_special(name->path);
    if (!special) {
        GW_TRY(follow_links(&name->path));
        GW_TRY(check_writable(name->path));
    }
    name->temporary = special ? gw_strdup(name->path) : make_temporary(name->path);
    return name->temporary ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_output_name_make(gw_output_name *name, const char *path) {
    *name = (gw_output_name){0};
    GW_TRY(gw_input_files_refuse(path));
    if (!path || strcmp(path, "-") == 0) return GW_OK;
    if (!*path) return gw_fail(GW_ERR_IO, "the name of an output is empty");
    const gw_status status = find_names(name, path);
    if (status != GW_OK) {
        free(name->path);
        free(name->temporary);
        *name = (gw_output_name){0};
        return status;
    }
    const bool twice = !is_direct(name) && is_open(name->temporary);
    if (is_direct(name) || (!twice && remember(name->temporary))) return GW_OK;
    free(name->path);
    free(name->temporary);
    *name = (gw_output_name){0};
    if (twice) return gw_fail(GW_ERR_IO, "cannot write %s: it is named for two outputs", path);
    return gw_fail(GW_ERR_IO, "cannot write %s: more than %d output files are open", path, OPEN_TEMPORARIES);
}

static void release(gw_output_name *name) {
    if (name->temporary) forget(name->temporary);
    free(name->path);
    free(name->temporary);
    *name = (gw_output_name){0};
}

static gw_status sync_to_disk(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return cannot("open", path);
    const int result = fsync(file);
    close(file);
    return result == 0 ? GW_OK : cannot("sync", path);
}

gw_status gw_output_name_keep(gw_output_name *name, bool durable) {
    if (!name->path) return GW_OK;
    if (is_direct(name)) {
        release(name);
        return GW_OK;
    }
    gw_status status = durable ? sync_to_disk(name->temporary) : GW_OK;
    if (status == GW_OK && holding) {
        held[held_count++] = *name;
        *name = (gw_output_name){0};
        return GW_OK;
    }
    struct stat old;
    if (status == GW_OK && stat(name->path, &old) == 0 && chmod(name->temporary, old.st_mode & 07777) != 0)
        status = cannot("set the permissions of", name->temporary);
    if (status == GW_OK && rename(name->temporary, name->path) != 0) status = cannot("rename a file to", name->path);
    if (status != GW_OK) unlink(name->temporary);
    release(name);
    return status;
}

void gw_output_name_drop(gw_output_name *name) {
    if (name->temporary && !is_direct(name)) unlink(name->temporary);
    release(name);
}

void gw_outputs_begin(void) {
    holding = true;
}

gw_status gw_outputs_end(gw_status status) {
    holding = false;
    for (int i = 0; i < held_count; i++) {
        if (status == GW_OK) status = gw_output_name_keep(&held[i], false);
        else gw_output_name_drop(&held[i]);
    }
    held_count = 0;
    while (needless_count > 0) {
        if (status == GW_OK) unlink(needless[needless_count - 1]);
        free(needless[--needless_count]);
    }
    while (made_count > 0) { // one that holds anything stays
        if (status != GW_OK) rmdir(made[made_count - 1]);
        free(made[--made_count]);
    }
    return status;
}

void gw_outputs_remove_later(const char *path) {
    char *copy = holding && needless_count < OPEN_TEMPORARIES ? gw_strdup(path) : NULL;
    if (copy) needless[needless_count++] = copy;
    else unlink(path);
}

gw_status gw_output_open(gw_output *output, const char *path) {
    *output = (gw_output){0};
    GW_TRY(gw_output_name_make(&output->name, path));
    output->stream = output->name.path ? fopen(output->name.temporary, "wbe") : stdout;
    if (output->stream) return GW_OK;
    const gw_status status = cannot("create", output->name.path);
    gw_output_name_drop(&output->name);
    return status;
}

gw_status gw_output_can_create(const char *path) {
    gw_output output;
    GW_TRY(gw_output_open(&output, path));
    gw_output_abandon(&output);
    return GW_OK;
}

gw_status gw_output_write(gw_output *output, const void *bytes, int64_t count) {
    if (count == 0 || fwrite(bytes, 1, (size_t)count, output->stream) == (size_t)count) return GW_OK;
    return cannot("write", output->name.path);
}

gw_status gw_output_flush(gw_output *output) {
    return fflush(output->stream) == 0 ? GW_OK : cannot("write", output->name.path);
}

gw_status gw_output_close(gw_output *output) {
    if (!output->stream) return GW_OK;
    const bool is_file = output->name.path != NULL;
    const bool had_error = ferror(output->stream) != 0;
    int result = is_file ? fclose(output->stream) : fflush(output->stream);
    output->stream = NULL;
    if (had_error || result != 0) {
        const gw_status status = cannot("write", output->name.path);
        gw_output_name_drop(&output->name);
        return status;
    }
    return gw_output_name_keep(&output->name, false);
}

void gw_output_abandon(gw_output *output) {
    if (output->stream && output->name.path) fclose(output->stream);
    output->stream = NULL;
    gw_output_name_drop(&output->name);
}

gw_status gw_read_file(const char *path, char **bytes, int64_t *count) {
    *bytes = NULL;
    *count = 0;
    FILE *file = fopen(path, "rbe");
    if (!file) return cannot("open", path);
    gw_status status = GW_OK;
    int64_t capacity = 0;
    size_t got = 1;
    while (status == GW_OK && got > 0) {
        status = gw_reserve(bytes, &capacity, *count + (1 << 16) + 1, 1);
        if (status != GW_OK) break;
        got = fread(*bytes + *count, 1, (size_t)(capacity - *count - 1), file);
        *count += (int64_t)got;
        if (got == 0 && ferror(file)) status = cannot("read", path);
    }
    fclose(file);
    if (status == GW_OK) {
        (*bytes)[*count] = 0;
        return GW_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return status;
}

gw_status gw_write_file(const char *path, const void *bytes, int64_t count) {
    gw_output output;
    GW_TRY(gw_output_open(&output, path));
    const gw_status status = gw_output_write(&output, bytes, count);
    if (status == GW_OK) return gw_output_close(&output);
    gw_output_abandon(&output);
    return status;
}

gw_status gw_copy_file(const char *from, const char *to) {
    char *bytes;
    int64_t count;
    GW_TRY(gw_read_file(from, &bytes, &count));
    const gw_status status = gw_write_file(to, bytes, count);
    free(bytes);
    return status;
}

static bool make_one(const char *path) {
    if (mkdir(path, 0777) != 0) return false;
    if (holding && made_count < OPEN_TEMPORARIES && (made[made_count] = gw_strdup(path)) != NULL) made_count++;
    return true;
}

gw_status gw_make_directory(const char *path) {
    if (!*path) return gw_fail(GW_ERR_IO, "the name of a folder is empty");
    char *partial = gw_strdup(path);
    if (!partial) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (char *slash = partial + 1; status == GW_OK; slash++) {
        slash = strchr(slash, '/');
        if (slash) *slash = 0;
        if (!make_one(partial) && errno != EEXIST) status = cannot("create the folder", partial);
        if (!slash) break;
        *slash = '/';
    }
    struct stat info;
    if (status == GW_OK && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
        status = gw_fail(GW_ERR_IO, "%s exists and is not a folder", path);
    free(partial);
    return status;
}

bool gw_file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

char *gw_join_path(const char *folder, const char *name) {
    const size_t length = strlen(folder);
    return gw_strprintf("%s%s%s", folder, length > 0 && folder[length - 1] != '/' ? "/" : "", name);
}
