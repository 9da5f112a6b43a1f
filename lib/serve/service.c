// SPDX-License-Identifier: MIT
// poll() says who has written; what has come is answered before anything else is read, so that what waits stays in the
// system's buffers and its writers wait too.
#include "serve/service.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { PIECE = 1 << 16, LOOK_UP = 200 /* ms */, WAITING = 128 };

typedef struct {
    int in, out;
    gw_request_lines lines;
    bool gone; // does not read its answers
} client;

typedef struct {
    gw_answerer *answerer;
    const gw_service_options *options;
    int listener; // -1: standard input alone
    client clients[GW_MOST_CLIENTS];
    int count;
    gw_string answer;
} service;

typedef struct {
    service *of;
    client *from;
} line_user;

// Standard output is the run's; another's end is its own affair.
static gw_status write_all(const service *s, client *to, const char *bytes, int64_t count) {
    while (count > 0 && !to->gone) {
        const ssize_t written = write(to->out, bytes, (size_t)count);
        if (written > 0) bytes += written, count -= written;
        else if (errno != EINTR && s->listener < 0)
            return gw_fail(errno == EPIPE ? GW_ERR_PIPE : GW_ERR_IO, "cannot write answers: %s", strerror(errno));
        else if (errno != EINTR) to->gone = true;
    }
    return GW_OK;
}

static gw_status answer_line(void *context, const char *line, int64_t length) {
    const line_user *user = context;
    service *s = user->of;
    char message[128];
    if (user->from->gone) return GW_OK;
    gw_string_clear(&s->answer);
    snprintf(message, sizeof message, "a request may have %lld bytes", (long long)s->options->most_bytes);
    GW_TRY(line ? gw_answer(s->answerer, line, length, &s->answer)
                : gw_answer_refusal("too-large", message, &s->answer));
    return write_all(s, user->from, s->answer.data, s->answer.length);
}

static void drop(service *s, int i) {
    gw_request_lines_free(&s->clients[i].lines);
    if (s->listener >= 0) close(s->clients[i].in);
    s->clients[i] = s->clients[--s->count];
}

// *ended: nothing more comes from there.
static gw_status read_client(service *s, int i, bool *ended) {
    char piece[PIECE];
    client *c = &s->clients[i];
    line_user user = {s, c};
    const ssize_t count = read(c->in, piece, sizeof piece);
    *ended = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
    if (*ended) return gw_request_lines_end(&c->lines, answer_line, &user);
    return count > 0 ? gw_request_lines_add(&c->lines, piece, count, answer_line, &user) : GW_OK;
}

static gw_status add_client(service *s, int in, int out) {
    s->clients[s->count++] = (client){.in = in, .out = out, .lines = {.most = s->options->most_bytes}};
    return GW_OK;
}

static gw_status take_client(service *s) {
    const int file = accept(s->listener, NULL, NULL);
    const struct timeval wait = {.tv_sec = (time_t)s->options->write_wait};
    if (file < 0) return GW_OK; // it went away meanwhile
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (s->count < GW_MOST_CLIENTS) return add_client(s, file, file);
    client one_too_many = {.in = file, .out = file};
    gw_string_clear(&s->answer);
    gw_status status = gw_answer_refusal("busy", "as many clients as there may be are connected", &s->answer);
    if (status == GW_OK) status = write_all(s, &one_too_many, s->answer.data, s->answer.length);
    close(file);
    return status;
}

// Waits for what comes next, and answers it.
static gw_status turn(service *s) {
    struct pollfd files[GW_MOST_CLIENTS + 1] = {{.fd = s->listener, .events = POLLIN}};
    const int count = s->count;
    for (int i = 0; i < count; i++) files[i + 1] = (struct pollfd){.fd = s->clients[i].in, .events = POLLIN};
    if (poll(files, (nfds_t)count + 1, LOOK_UP) < 0 && errno != EINTR)
        return gw_fail(GW_ERR_IO, "cannot wait for requests: %s", strerror(errno));
    for (int i = count - 1; i >= 0; i--) { // dropping one moves the last one, which had its turn
        bool ended = false;
        if (files[i + 1].revents) GW_TRY(read_client(s, i, &ended));
        if (ended || s->clients[i].gone) drop(s, i);
    }
    return files[0].revents ? take_client(s) : GW_OK;
}

static gw_status run(service *s) {
    gw_status status = GW_OK;
    while (status == GW_OK && (s->listener >= 0 || s->count > 0)) {
        status = gw_check_interrupt();
        if (status == GW_OK) status = turn(s);
    }
    while (s->count > 0) drop(s, s->count - 1);
    gw_string_free(&s->answer);
    return status;
}

static gw_status fill_address(const char *path, struct sockaddr_un *out) {
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof out->sun_path)
        return gw_fail(GW_ERR_RANGE, "%s: the name of a socket has 1 to %zu bytes", path, sizeof out->sun_path - 1);
    strcpy(out->sun_path, path);
    return GW_OK;
}

static bool is_socket(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISSOCK(info.st_mode);
}

// Whether somebody answers there.
static bool is_served(const struct sockaddr_un *address) {
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool served = file >= 0 && connect(file, (const struct sockaddr *)address, sizeof *address) == 0;
    if (file >= 0) close(file);
    return served;
}

static gw_status listen_at(const struct sockaddr_un *address, int *out) {
    const char *path = address->sun_path;
    if (is_socket(path) && is_served(address)) return gw_fail(GW_ERR_IO, "%s is served by another process", path);
    if (is_socket(path)) unlink(path);
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const mode_t mask = umask(0177);
    const bool bound = *out >= 0 && bind(*out, (const struct sockaddr *)address, sizeof *address) == 0;
    const int fault = errno;
    umask(mask);
    if (bound && listen(*out, WAITING) == 0) return GW_OK;
    if (*out >= 0) close(*out);
    return gw_fail(GW_ERR_IO, "cannot listen at %s: %s", path, strerror(bound ? errno : fault));
}

// Whether the socket at the path is still the one that this service has made there.
static bool is_ours(const char *path, const struct stat *made) {
    struct stat info;
    return lstat(path, &info) == 0 && info.st_dev == made->st_dev && info.st_ino == made->st_ino;
}

static gw_status run_socket(service *s) {
    struct sockaddr_un address;
    struct stat made = {0};
    GW_TRY(fill_address(s->options->socket, &address));
    GW_TRY(listen_at(&address, &s->listener));
    lstat(address.sun_path, &made);
    const bool noted = gw_outputs_discard_too(address.sun_path); // goes with a process that dies by a signal
    gw_note("listening at %s", address.sun_path);
    const gw_status status = run(s);
    if (noted) gw_outputs_discard_no_more(address.sun_path);
    if (is_ours(address.sun_path, &made)) unlink(address.sun_path);
    close(s->listener);
    return status;
}

gw_status gw_service_run(gw_answerer *answerer, const gw_service_options *options) {
    service *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->answerer = answerer;
    s->options = options;
    s->listener = -1;
    gw_status status = options->socket ? GW_OK : add_client(s, STDIN_FILENO, STDOUT_FILENO);
    if (status == GW_OK) status = options->socket ? run_socket(s) : run(s);
    free(s);
    return status;
}
