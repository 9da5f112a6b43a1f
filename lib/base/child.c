// SPDX-License-Identifier: MIT
// Pieces go through a pipe, each after its length. A length of 0 announces the end: a status with its message. Signals
// that ask to stop are blocked in the child, as in the thread that makes it. The parent receives them and kills the
// child.
#include "base/child.h"

#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct gw_child_out {
    int pipe;
};

typedef struct {
    gw_status status;
    char message[1024];
} ending;

typedef struct {
    const char *path;
    pid_t process;
    int pipe;
    bool ended; // the child has closed its end
} child;

// --- in the child --------------------------------------------------------------------------------------------------

static gw_status put(gw_child_out *out, const void *bytes, int64_t count) {
    for (const char *at = bytes; count > 0;) {
        const ssize_t put = write(out->pipe, at, (size_t)count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return gw_fail(GW_ERR_IO, "cannot write to a pipe: %s", strerror(errno));
        at += put, count -= put;
    }
    return GW_OK;
}

gw_status gw_child_send(gw_child_out *out, const void *bytes, int64_t count) {
    for (int64_t at = 0, piece; at < count; at += piece) {
        piece = count - at < GW_CHILD_PIECE ? count - at : GW_CHILD_PIECE;
        GW_TRY(put(out, &piece, sizeof piece));
        GW_TRY(put(out, (const char *)bytes + at, piece));
    }
    return GW_OK;
}

void gw_child_limit(int64_t seconds) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const rlim_t until = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + seconds);
    setrlimit(RLIMIT_CPU, &(struct rlimit){until, RLIM_INFINITY});
}

static _Noreturn void work_and_exit(gw_child_work *work, void *context, gw_child_out out, pid_t parent) {
    const int64_t none = 0;
    ending end = {GW_OK, ""};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // What libraries print is silenced: the parent says what there is to say. A crash leaves no core file.
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    end.status = work(context, &out);
    if (end.status != GW_OK) snprintf(end.message, sizeof end.message, "%s", gw_message());
    if (put(&out, &none, sizeof none) != GW_OK || put(&out, &end, sizeof end) != GW_OK) _exit(1);
    _exit(0); // the parent's files are not flushed a second time
}

// --- in the parent -------------------------------------------------------------------------------------------------

// Reads so many bytes, or fewer where the child ends.
static gw_status get(child *c, void *bytes, int64_t count) {
    enum { MILLISECONDS = 100 };
    for (char *at = bytes; count > 0;) {
        GW_TRY(gw_check_interrupt());
        if (poll(&(struct pollfd){.fd = c->pipe, .events = POLLIN}, 1, MILLISECONDS) <= 0) continue;
        const ssize_t got = read(c->pipe, at, (size_t)count);
        if (got < 0 && errno == EINTR) continue;
        c->ended = got <= 0;
        if (c->ended) return GW_OK;
        at += got, count -= got;
    }
    return GW_OK;
}

// The pieces, up to the ending or the death of the child.
static gw_status take_pieces(child *c, gw_child_take *take, void *context, char *bytes) {
    for (;;) {
        int64_t count;
        GW_TRY(get(c, &count, sizeof count));
        if (!c->ended && count == 0) {
            ending end;
            GW_TRY(get(c, &end, sizeof end));
            if (c->ended || end.status == GW_OK) return GW_OK;
            end.message[sizeof end.message - 1] = 0;
            return gw_fail(end.status, "%s", end.message);
        }
        if (!c->ended && (count < 0 || count > GW_CHILD_PIECE)) c->ended = true; // it writes anything
        if (!c->ended) GW_TRY(get(c, bytes, count));
        if (c->ended) return GW_OK;
        GW_TRY(take(context, bytes, count));
    }
}

static gw_status say_death(const child *c, int how) {
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU)
        return gw_fail(GW_ERR_FORMAT, "%s is damaged: reading it exceeded the limit of processor time", c->path);
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
        return gw_fail(
            GW_ERR_MEMORY,
            "%s: the process that read it was killed: the file needs more memory than is available, or is damaged",
            c->path);
    return gw_fail(GW_ERR_FORMAT, "%s is damaged: the process that read it crashed%s%s", c->path,
                   WIFSIGNALED(how) ? ": " : "", WIFSIGNALED(how) ? strsignal(WTERMSIG(how)) : "");
}

// Leaves no process behind.
static gw_status finish(child *c, gw_status status) {
    int how = 0;
    close(c->pipe);
    if (status != GW_OK) kill(c->process, SIGKILL);
    while (waitpid(c->process, &how, 0) < 0 && errno == EINTR) continue;
    return status == GW_OK && c->ended ? say_death(c, how) : status;
}

gw_status gw_child_run(const char *path, gw_child_work *work, gw_child_take *take, void *context) {
    int ends[2];
    char *bytes = gw_alloc(GW_CHILD_PIECE, 1);
    if (!bytes) return GW_ERR_MEMORY;
    const pid_t parent = getpid();
    const bool piped = pipe2(ends, O_CLOEXEC) == 0;
    child c = {.path = path, .process = piped ? fork() : -1, .pipe = piped ? ends[0] : -1};
    if (c.process == 0) {
        close(ends[0]);
        work_and_exit(work, context, (gw_child_out){ends[1]}, parent);
    }
    gw_status status = GW_OK;
    if (c.process < 0) status = gw_fail(GW_ERR_IO, "cannot start a process that reads %s: %s", path, strerror(errno));
    if (piped) close(ends[1]);
    if (c.process > 0) status = finish(&c, take_pieces(&c, take, context, bytes));
    else if (piped) close(ends[0]);
    free(bytes);
    return status;
}
