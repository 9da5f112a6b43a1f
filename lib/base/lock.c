// SPDX-License-Identifier: MIT
// flock() locks the file while its process lives. The file names the process for others.
#include "base/lock.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOST_SIZE = 65, BEGAN_SIZE = 32 };

// What a lock file says, in this order on one line.
typedef struct {
    char host[HOST_SIZE];
    long process;
    char began[BEGAN_SIZE];
} holder;

static holder this_process(void) {
    holder me = {.process = (long)getpid()};
    const time_t now = time(NULL);
    struct tm utc;
    if (gethostname(me.host, sizeof me.host - 1) != 0 || !me.host[0]) strcpy(me.host, "unknown");
    gmtime_r(&now, &utc);
    strftime(me.began, sizeof me.began, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return me;
}

// False where it names none: one that has just been made, or something else.
static bool read_holder(int file, holder *out) {
    char text[HOST_SIZE + BEGAN_SIZE + 32] = "";
    *out = (holder){.host = "unknown", .began = "an unknown time"};
    if (pread(file, text, sizeof text - 1, 0) <= 0) return false;
    return sscanf(text, "%64s %ld %31s", out->host, &out->process, out->began) == 3;
}

static gw_status write_holder(int file, const char *path) {
    const holder me = this_process();
    char text[HOST_SIZE + BEGAN_SIZE + 32];
    const int length = snprintf(text, sizeof text, "%s %ld %s\n", me.host, me.process, me.began);
    if (ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) == length) return GW_OK;
    return gw_fail(GW_ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

static gw_status refuse(const char *folder, const char *path, const holder *by) {
    const holder me = this_process();
    if (strcmp(by->host, me.host) == 0)
        return gw_fail(
            GW_ERR_IO,
            "cannot write %s: process %ld has been writing it since %s; wait until it ends, or choose another folder",
            folder, by->process, by->began);
    return gw_fail(GW_ERR_IO,
                   "cannot write %s: process %ld of host %s wrote it since %s; if that run is over, delete %s", folder,
                   by->process, by->host, by->began, path);
}

// Whether the process that left the lock is gone. `known`: it does not hold the file, so that on this host it is.
static bool is_gone(const holder *by, bool known) {
    const holder me = this_process();
    if (strcmp(by->host, me.host) != 0) return false;
    return known || (kill((pid_t)by->process, 0) != 0 && errno == ESRCH);
}

// Whether the name still is that of the open file: its holder removes it at the end.
static bool is_named(int file, const char *path) {
    struct stat open_one, named;
    return fstat(file, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_ino == named.st_ino &&
           open_one.st_dev == named.st_dev;
}

static gw_status hold(int file, const char *path, const char *folder, bool *again) {
    holder by;
    const bool held = flock(file, LOCK_EX | LOCK_NB) == 0;
    if (!held && errno == EWOULDBLOCK) {
        read_holder(file, &by);
        return refuse(folder, path, &by);
    }
    *again = !is_named(file, path);
    if (*again) return GW_OK;
    if (read_holder(file, &by)) {
        if (!is_gone(&by, held)) return refuse(folder, path, &by);
        gw_note("%s: process %ld, which wrote it since %s, is gone; its lock is taken over", folder, by.process,
                by.began);
    }
    const gw_status status = write_holder(file, path);
    if (status != GW_OK) unlink(path); // of a full disk
    return status;
}

static gw_status make_parent(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return GW_OK;
    char *parent = gw_strndup(path, (size_t)(slash - path));
    const gw_status status = parent ? gw_make_directory(parent) : GW_ERR_MEMORY;
    free(parent);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "cannot lock %s", path);
}

gw_status gw_lock_acquire(gw_lock *lock, const char *folder) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    *lock = (gw_lock){.path = gw_strprintf("%.*s.lock", (int)length, folder)};
    gw_status status = lock->path ? make_parent(lock->path) : GW_ERR_MEMORY;
    for (bool again = true; status == GW_OK && again;) {
        lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (lock->file < 0) {
            status = gw_fail(GW_ERR_IO, "cannot create %s: %s", lock->path, strerror(errno));
            break;
        }
        again = false;
        status = hold(lock->file, lock->path, folder, &again);
        if (status != GW_OK || again) close(lock->file);
    }
    if (status == GW_OK && gw_outputs_discard_too(lock->path)) return GW_OK;
    if (status == GW_OK) close(lock->file);
    free(lock->path);
    *lock = (gw_lock){0};
    return status == GW_OK ? gw_fail(GW_ERR_IO, "cannot lock %s: too many output files are open", folder) : status;
}

void gw_lock_release(gw_lock *lock) {
    if (!lock->path) return;
    gw_outputs_remove_own(lock->path); // while it is held, so that nobody finds it free under a name that goes
    close(lock->file);
    free(lock->path);
    *lock = (gw_lock){0};
}
