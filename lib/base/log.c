// SPDX-License-Identifier: MIT
// Calls the program's hooks for warnings and progress, if there are any.
#include "base/log.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

static const gw_log_hooks no_hooks;
static const gw_log_hooks *hooks = &no_hooks;
static volatile sig_atomic_t interrupted;

static void say(void (*hook)(const char *), const char *format, va_list args) {
    char message[2048];
    if (!hook) return;
    vsnprintf(message, sizeof message, format, args);
    hook(message);
}

void gw_warn(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(hooks->warn, format, args);
    va_end(args);
}

void gw_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(hooks->note, format, args);
    va_end(args);
}

void gw_detail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(hooks->detail, format, args);
    va_end(args);
}

void gw_preparing(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(hooks->preparing, format, args);
    va_end(args);
}

void gw_progress(const char *what, int64_t done, int64_t total, const char *unit, const char *detail) {
    if (hooks->progress) hooks->progress(what, done, total, unit, detail);
}

void gw_progress_end(void) {
    if (hooks->progress_end) hooks->progress_end();
}

void gw_duration_text(double seconds, char text[GW_DURATION_SIZE]) {
    const long s = seconds > 0 ? (long)(seconds + 0.5) : 0;
    if (s >= 3600) snprintf(text, GW_DURATION_SIZE, "%ldh%02ldm", s / 3600, s / 60 % 60);
    else snprintf(text, GW_DURATION_SIZE, "%ld:%02ld", s / 60, s % 60);
}

void gw_set_log_hooks(const gw_log_hooks *chosen) {
    hooks = chosen ? chosen : &no_hooks;
}

gw_status gw_check_interrupt(void) {
    return interrupted ? gw_fail(GW_ERR_INTERRUPTED, "interrupted") : GW_OK;
}

void gw_interrupt(void) {
    interrupted = 1;
}
