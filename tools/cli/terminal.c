// SPDX-License-Identifier: MIT
// Warnings, notes and progress on stderr. On a terminal: one line with a bar, rate and remaining time, drawn again and
// again. In a log: a plain line every half minute. Standard output is only for data.
#include "base/clock.h"
#include "base/log.h"
#include "base/string.h"
#include "tools/cli/common.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 24 };
static const double TERMINAL_PERIOD = 0.1, LOG_PERIOD = 30, SILENCE = 5; // seconds

static struct {
    gw_pace pace;
    double shown;
    double spoke;         // when a message was last shown
    char preparing[1024]; // what is to be said after a silence; empty: nothing
    bool drawn;           // an unfinished line stands on the terminal
} state;

// Hooks may be called while the thread that looks for silence speaks.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void end_line(void) {
    pthread_mutex_lock(&turn);
    if (state.drawn) fputc('\n', stderr);
    state.drawn = false;
    pthread_mutex_unlock(&turn);
}

// What is drawn gives way to a message, and is drawn again below it.
static void show_message(const char *before, const char *message) {
    if (state.drawn) fputs("\r\033[K", stderr);
    state.drawn = false;
    gw_string text = {0};
    gw_string_put_lines(&text, message);
    fprintf(stderr, "%s: %s%s\n", gw_program.name, before, text.failed ? "out of memory" : text.data ? text.data : "");
    gw_string_free(&text);
    state.spoke = gw_seconds_now();
}

static void show_warning(const char *message) {
    pthread_mutex_lock(&turn);
    show_message("warning: ", message);
    pthread_mutex_unlock(&turn);
}

static void show_note(const char *message) {
    pthread_mutex_lock(&turn);
    show_message("", message);
    pthread_mutex_unlock(&turn);
}

static void take_preparing(const char *message) {
    pthread_mutex_lock(&turn);
    snprintf(state.preparing, sizeof state.preparing, "%s", message);
    pthread_mutex_unlock(&turn);
}

static void *break_silence(void *unused) {
    (void)unused;
    const struct timespec moment = {.tv_nsec = 250000000};
    for (;;) {
        nanosleep(&moment, NULL);
        pthread_mutex_lock(&turn);
        if (state.preparing[0] && gw_seconds_now() - state.spoke >= SILENCE) {
            show_message("", state.preparing);
            state.preparing[0] = 0;
        }
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

static void draw_progress(const char *what, int64_t done, int64_t total, const char *unit, const char *detail) {
    const double time = gw_seconds_now();
    const gw_pace_reading pace = gw_pace_read(&state.pace, what, done, total, time);
    if (pace.begins) state.shown = 0;
    const bool terminal = isatty(STDERR_FILENO), last = total > 0 && done >= total;
    if (!last && time - state.shown < (terminal ? TERMINAL_PERIOD : LOG_PERIOD) && state.shown > 0) return;
    if (!last && !terminal && state.shown == 0) { // a short run leaves nothing in a log but its end
        state.shown = time;
        return;
    }
    state.shown = time;
    char left[GW_DURATION_SIZE], spent[GW_DURATION_SIZE];
    gw_duration_text(pace.seconds, spent);
    gw_duration_text(pace.rate > 0 ? (double)(total - done) / pace.rate : 0, left);
    fprintf(stderr, "%s%s: %s", terminal ? "\r\033[K" : "", gw_program.name, what);
    if (total > 0 && terminal) {
        const double share = (double)done / (double)total;
        char bar[BAR_WIDTH + 1];
        const int filled = (int)(share * BAR_WIDTH);
        memset(bar, '.', BAR_WIDTH);
        memset(bar, '#', (size_t)(filled > BAR_WIDTH ? BAR_WIDTH : filled));
        bar[BAR_WIDTH] = 0;
        fprintf(stderr, " [%s] %3.0f%%", bar, 100 * share);
    }
    fprintf(stderr, " %lld", (long long)done);
    if (total > 0) fprintf(stderr, "/%lld", (long long)total);
    fprintf(stderr, " %s", unit);
    if (pace.rate > 0) fprintf(stderr, ", %.4g %s/s", pace.rate, unit);
    fprintf(stderr, ", %s", spent);
    if (total > 0 && !last && pace.rate > 0) fprintf(stderr, ", %s left", left);
    if (detail) fprintf(stderr, ", %s", detail);
    if (!terminal) fputc('\n', stderr);
    state.drawn = terminal;
}

static void show_progress(const char *what, int64_t done, int64_t total, const char *unit, const char *detail) {
    pthread_mutex_lock(&turn);
    state.preparing[0] = 0;
    draw_progress(what, done, total, unit, detail);
    pthread_mutex_unlock(&turn);
}

static gw_log_hooks loud;

void gw_terminal_say_details(void) {
    loud.detail = show_note;
}

void gw_terminal_install(void) {
    static const gw_log_hooks quiet = {.warn = show_warning};
    loud = (gw_log_hooks){.warn = show_warning,
                          .note = show_note,
                          .preparing = take_preparing,
                          .progress = show_progress,
                          .progress_end = end_line};
    pthread_t thread;
    gw_set_log_hooks(gw_common.quiet ? &quiet : &loud);
    state.spoke = gw_seconds_now();
    if (!gw_common.quiet && pthread_create(&thread, NULL, break_silence, NULL) == 0) pthread_detach(thread);
}
