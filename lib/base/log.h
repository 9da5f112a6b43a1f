// SPDX-License-Identifier: MIT
// Warnings, progress and interruption, through hooks of the program: the library itself never prints.
#ifndef GW_BASE_LOG_H
#define GW_BASE_LOG_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// A fact the user should know though the run goes on. Without a hook it is dropped.
void gw_warn(const char *format, ...) GW_PRINTF(1, 2);
// The same channel for facts that are not worrying (counts at the end of a run). Progress that has not ended goes on
// below either.
void gw_note(const char *format, ...) GW_PRINTF(1, 2);

// The same channel for figures of how the work was shared, which --verbose asks for.
void gw_detail(const char *format, ...) GW_PRINTF(1, 2);
// What the run does next, before it has progress to tell; it is said only where nothing else is for some seconds.
void gw_preparing(const char *format, ...) GW_PRINTF(1, 2);

// Says that `done` of `total` units are finished (total 0: unknown); `detail` (may be NULL) is shown beside it, such as
// "loss 1.93". Cheap enough to call for every batch: the hook decides what to draw and how often.
void gw_progress(const char *what, int64_t done, int64_t total, const char *unit, const char *detail);
void gw_progress_end(void);

enum { GW_DURATION_SIZE = 32 };
void gw_duration_text(double seconds, char text[GW_DURATION_SIZE]); // "0:07", "12:30", "3h05m"

typedef struct {
    void (*warn)(const char *message);
    void (*note)(const char *message);
    void (*detail)(const char *message);
    void (*preparing)(const char *message);
    void (*progress)(const char *what, int64_t done, int64_t total, const char *unit, const char *detail);
    void (*progress_end)(void);
} gw_log_hooks;
void gw_set_log_hooks(const gw_log_hooks *hooks); // NULL: none. The struct must outlive its use.

// Long loops ask this once per unit of work; the program's signal handler calls gw_interrupt().
gw_status gw_check_interrupt(void) GW_MUST_CHECK; // GW_ERR_INTERRUPTED once interrupted
void gw_interrupt(void);                          // async-signal-safe

#endif
