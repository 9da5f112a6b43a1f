// SPDX-License-Identifier: MIT
// Warnings, notes and progress on stderr. On a terminal: one line that is redrawn, with a bar, rate and remaining time.
// In a log: a plain line every half minute. Standard output is left to data.
#include "base/clock.h"
#include "base/log.h"
#include "base/pace.h"
#include "tools/cli/common.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 24 };
static const double TERMINAL_PERIOD = 0.1, LOG_PERIOD = 30; // seconds

static struct {
    gw_pace pace;
    double shown;
    bool drawn; // an unfinished line stands on the terminal
} state;

static void end_line(void) {
    if (state.drawn) fputc('\n', stderr);
    state.drawn = false;
}

// What is drawn gives way to a message, and is drawn again below it.
static void clear_line(void) {
    if (state.drawn) fputs("\r\033[K", stderr);
    state.drawn = false;
}

static void show_warning(const char *message) {
    clear_line();
    fprintf(stderr, "%s: warning: %s\n", gw_program.name, message);
}

static void show_note(const char *message) {
    clear_line();
    fprintf(stderr, "%s: %s\n", gw_program.name, message);
}

static void draw_bar(double share) {
    char bar[BAR_WIDTH + 1];
    const int filled = (int)(share * BAR_WIDTH);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(filled > BAR_WIDTH ? BAR_WIDTH : filled));
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, " [%s] %3.0f%%", bar, 100 * share);
}

static void show_progress(const char *what, int64_t done, int64_t total, const char *unit, const char *detail) {
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
    if (total > 0 && terminal) draw_bar((double)done / (double)total);
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

void gw_terminal_install(void) {
    static const gw_log_hooks loud = {show_warning, show_note, show_progress, end_line};
    static const gw_log_hooks quiet = {show_warning, NULL, NULL, NULL};
    gw_set_log_hooks(gw_common.quiet ? &quiet : &loud);
}
