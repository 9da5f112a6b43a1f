// SPDX-License-Identifier: MIT
// Warnings, progress and interruption, through hooks of the program. The library itself never prints.
#ifndef GW_BASE_LOG_H
#define GW_BASE_LOG_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Warns the user; the run goes on. Without a hook the warning is dropped.
void gw_warn(const char *format, ...) GW_PRINTF(1, 2);
// Tells a fact that is no warning, such as the counts at the end of a run. A progress display that has not ended stays
// below the note.
void gw_note(const char *format, ...) GW_PRINTF(1, 2);

// Tells how the work was divided. The program shows these figures with --verbose.
void gw_detail(const char *format, ...) GW_PRINTF(1, 2);
// Tells the next step of the run before there is progress to show. The program shows it only after some seconds without
// other output.
void gw_preparing(const char *format, ...) GW_PRINTF(1, 2);

// Reports that `done` of `total` units are finished (total 0: unknown). `detail` (may be NULL) is shown beside the
// counts, such as "loss 1.93". The call is cheap enough for every batch, because the hook decides how often to draw.
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
void gw_set_log_hooks(const gw_log_hooks *hooks); // NULL: no hooks. The struct must outlive its use.

// Long loops call this once per unit of work. The program's signal handler calls gw_interrupt().
gw_status gw_check_interrupt(void) GW_MUST_CHECK; // GW_ERR_INTERRUPTED after gw_interrupt()
void gw_interrupt(void);                          // async-signal-safe

#endif
