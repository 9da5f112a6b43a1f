// SPDX-License-Identifier: MIT
// poll() tells which clients have written, and which have left. Each client has one request in progress; further
// requests wait in the system's buffers. Requests in progress are scored in batches, and clients connect and leave
// between two batches.
#include "serve/service.h"

#include "base/clock.h"
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

// ---- lines out of bytes: what has no end yet is kept; of a line that is too long nothing more is

void gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count) {
    gw_string *text = &lines->text;
    if (lines->used > 0) {
        memmove(text->data, text->data + lines->used, (size_t)(text->length - lines->used));
        gw_string_cut(text, text->length - lines->used);
        lines->used = 0;
    }
    gw_string_append(text, bytes, count);
}

gw_status gw_request_lines_next(gw_request_lines *lines, bool ended, bool *found, const char **line, int64_t *length) {
    gw_string *text = &lines->text;
    *found = false;
    GW_TRY(gw_string_status(text));
    while (!*found && (lines->used < text->length || (ended && lines->too_long))) {
        const char *begin = text->data + lines->used;
        const int64_t rest = text->length - lines->used;
        const char *newline = rest > 0 ? memchr(begin, '\n', (size_t)rest) : NULL;
        *length = newline ? newline - begin : rest;
        lines->too_long = lines->too_long || *length > lines->most;
        if (!newline && !ended) { // it goes on
            if (lines->too_long) gw_string_clear(text), lines->used = 0;
            return GW_OK;
        }
        *line = lines->too_long ? NULL : begin;
        int64_t blanks = 0;
        while (blanks < *length && (begin[blanks] == ' ' || begin[blanks] == '\t' || begin[blanks] == '\r')) blanks++;
        *found = lines->too_long || blanks < *length;
        lines->used += *length + (newline ? 1 : 0);
        lines->too_long = false;
    }
    return GW_OK;
}

void gw_request_lines_free(gw_request_lines *lines) {
    gw_string_free(&lines->text);
}

// ---- clients

enum { PIECE = 1 << 16, LOOK_UP = 200 /* ms */, WAITING = 128 };

typedef struct {
    int in, out;
    gw_request_lines lines;
    gw_request *request; // at work, or NULL
    gw_string answers;   // to be sent
    int64_t sent;        // bytes of them
    double taken;        // when the client took the last of them, or they came
    bool ended;          // nothing more comes from it
    bool gone;           // it has left, or does not read its answers
} client;

typedef struct {
    gw_answerer *answerer;
    const gw_service_options *options;
    int listener; // -1: standard input alone
    client clients[GW_MOST_CLIENTS];
    int count;
} service;

// Standard output is the run's; another's end is its own affair.
static gw_status send_answers(const service *s, client *c) {
    while (c->sent < c->answers.length && !c->gone) {
        const char *bytes = c->answers.data + c->sent;
        const size_t count = (size_t)(c->answers.length - c->sent);
        const ssize_t written =
            s->listener < 0 ? write(c->out, bytes, count) : send(c->out, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written > 0) c->sent += written, c->taken = gw_seconds_now();
        else if (errno == EINTR) continue;
        else if (s->listener < 0)
            return gw_fail(errno == EPIPE ? GW_ERR_PIPE : GW_ERR_IO, "cannot write answers: %s", strerror(errno));
        else if (errno == EAGAIN || errno == EWOULDBLOCK) return GW_OK;
        else c->gone = true;
    }
    gw_string_free(&c->answers);
    c->sent = 0;
    return GW_OK;
}

// Answers what is done, and takes the client's next lines, until there is a request to be scored, no line, or an answer
// that the client does not take yet.
static gw_status advance(const service *s, client *c) {
    while (!c->gone && (!c->request || gw_request_is_done(c->request))) {
        if (c->request) {
            const gw_status status = gw_request_answer(c->request, &c->answers);
            gw_request_free(c->request);
            c->request = NULL;
            GW_TRY(status);
        } else {
            const char *line;
            int64_t length;
            bool found = false;
            if (c->answers.length == 0) GW_TRY(gw_request_lines_next(&c->lines, c->ended, &found, &line, &length));
            if (!found) return GW_OK;
            if (line) GW_TRY(gw_request_new(s->answerer, line, length, &c->request));
            else {
                char message[128];
                snprintf(message, sizeof message, "a request may have %lld bytes", (long long)s->options->most_bytes);
                GW_TRY(gw_answer_refusal("too-large", message, &c->answers));
            }
        }
        if (c->answers.length == 0) continue;
        c->taken = gw_seconds_now();
        GW_TRY(send_answers(s, c));
    }
    return GW_OK;
}

static void drop(service *s, int i) {
    client *c = &s->clients[i];
    gw_request_lines_free(&c->lines);
    gw_request_free(c->request);
    gw_string_free(&c->answers);
    if (s->listener >= 0) close(c->in);
    *c = s->clients[--s->count];
}

static gw_status add_client(service *s, int in, int out) {
    s->clients[s->count++] = (client){.in = in, .out = out, .lines = {.most = s->options->most_bytes}};
    return GW_OK;
}

static gw_status take_client(service *s, int file) {
    if (s->count < GW_MOST_CLIENTS) return add_client(s, file, file);
    client one_too_many = {.in = file, .out = file};
    gw_status status =
        gw_answer_refusal("busy", "as many clients as there may be are connected", &one_too_many.answers);
    if (status == GW_OK) status = send_answers(s, &one_too_many);
    gw_string_free(&one_too_many.answers);
    close(file);
    return status;
}

// Ends when all places are taken: who left since poll() is not known yet, and may make room for the next one. If they
// were all taken before, one client is refused.
static gw_status take_clients(service *s) {
    for (int file; (file = accept(s->listener, NULL, NULL)) >= 0;) {
        GW_TRY(take_client(s, file));
        if (s->count == GW_MOST_CLIENTS) return GW_OK;
    }
    return GW_OK;
}

static bool wants_line(const client *c) {
    return !c->ended && !c->request && c->answers.length == 0;
}

static gw_status meet_client(const service *s, client *c, short events) {
    const bool wants = wants_line(c);
    if (s->listener >= 0 && (events & (POLLHUP | POLLERR))) c->gone = true;
    else if (wants && events) {
        char piece[PIECE];
        const ssize_t count = read(c->in, piece, sizeof piece);
        c->ended = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
        if (count > 0) gw_request_lines_add(&c->lines, piece, count);
        return advance(s, c);
    } else if (s->listener < 0 && (events & POLLERR))
        return gw_fail(GW_ERR_PIPE, "cannot write answers: no reader is left");
    else if (events & POLLOUT) {
        GW_TRY(send_answers(s, c));
        return advance(s, c);
    } else if (c->answers.length > 0 && gw_seconds_now() - c->taken > (double)s->options->write_wait) c->gone = true;
    return GW_OK;
}

// Waits for what comes next, unless there is work, and does a batch of it.
static gw_status turn(service *s) {
    struct pollfd files[GW_MOST_CLIENTS + 1] = {{.fd = s->listener, .events = POLLIN}};
    gw_request *requests[GW_MOST_CLIENTS];
    int count = s->count, at_work = 0;
    for (int i = 0; i < count; i++) {
        // A line is waited for, room for answers, or that the client leaves, which standard output says of a pipe.
        const client *c = &s->clients[i];
        const int file = s->listener < 0 && !wants_line(c) ? c->out : c->in;
        const int events = (wants_line(c) ? POLLIN : 0) | (c->answers.length > 0 ? POLLOUT : 0);
        files[i + 1] = (struct pollfd){.fd = file, .events = (short)events};
        at_work += c->request != NULL;
    }
    const int met = poll(files, (nfds_t)count + 1, at_work > 0 ? 0 : LOOK_UP);
    if (met < 0 && errno != EINTR) return gw_fail(GW_ERR_IO, "cannot wait for requests: %s", strerror(errno));
    for (int i = 0; i < count && met >= 0; i++) GW_TRY(meet_client(s, &s->clients[i], files[i + 1].revents));
    for (int i = s->count - 1; i >= 0; i--) {
        const client *c = &s->clients[i];
        if (c->gone || (c->ended && !c->request && c->answers.length == 0)) drop(s, i);
    }
    if (met > 0 && files[0].revents) GW_TRY(take_clients(s));
    count = 0;
    for (int i = 0; i < s->count; i++)
        if (s->clients[i].request) requests[count++] = s->clients[i].request;
    if (count > 0) GW_TRY(gw_requests_score(s->answerer, requests, count));
    for (int i = 0; i < s->count; i++) GW_TRY(advance(s, &s->clients[i]));
    return GW_OK;
}

static gw_status run(service *s) {
    gw_status status = GW_OK;
    while (status == GW_OK && (s->listener >= 0 || s->count > 0)) {
        status = gw_check_interrupt();
        if (status == GW_OK) status = turn(s);
    }
    while (s->count > 0) drop(s, s->count - 1);
    return status;
}

// ---- where requests come from

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
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const mode_t mask = umask(0177);
    const bool bound = *out >= 0 && bind(*out, (const struct sockaddr *)address, sizeof *address) == 0;
    const int fault = errno;
    umask(mask);
    if (bound && listen(*out, WAITING) == 0) return GW_OK;
    if (*out >= 0) close(*out);
    return gw_fail(GW_ERR_IO, "cannot listen at %s: %s", path, strerror(bound ? errno : fault));
}

// The socket goes at the end, and with a process that dies by a signal, unless another service has taken its name.
static gw_status run_socket(service *s) {
    const char *path = s->options->socket;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof address.sun_path)
        return gw_fail(GW_ERR_RANGE, "%s: the name of a socket has 1 to %zu bytes", path, sizeof address.sun_path - 1);
    strcpy(address.sun_path, path);
    GW_TRY(listen_at(&address, &s->listener));
    gw_status status = GW_OK;
    if (!gw_outputs_discard_too(address.sun_path))
        status = gw_fail(GW_ERR_IO, "cannot listen at %s: the socket was removed", address.sun_path);
    if (status == GW_OK) {
        gw_note("listening at %s", address.sun_path);
        status = run(s);
    }
    gw_outputs_remove_own(address.sun_path);
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
