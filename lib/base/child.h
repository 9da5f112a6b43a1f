// SPDX-License-Identifier: MIT
// Work in a process of its own, for libraries that a damaged file makes crash: the death of that process is an error
// like others, and the damage to its memory is gone with it.
#ifndef GW_BASE_CHILD_H
#define GW_BASE_CHILD_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_child_out gw_child_out;
// In the child: sends bytes to take(), in the same pieces where they are at most GW_CHILD_PIECE long.
enum { GW_CHILD_PIECE = 1 << 20 };
gw_status gw_child_send(gw_child_out *out, const void *bytes, int64_t count) GW_MUST_CHECK;
// In the child: from here on it may take so many seconds of processor time, and dies when it takes more.
void gw_child_limit(int64_t seconds);

typedef gw_status gw_child_work(void *context, gw_child_out *out);
// The output of a damaged process may be any bytes.
typedef gw_status gw_child_take(void *context, const void *bytes, int64_t count);

// Runs work() in a child, whose copy of the context nobody else sees, and here take() for each piece that it sends.
// Gives its status and message. Where it dies or never ends what it says, `path` is named as damaged. An interrupt, or
// a failure of take(), ends the child; so does the death of this process.
gw_status gw_child_run(const char *path, gw_child_work *work, gw_child_take *take, void *context) GW_MUST_CHECK;

#endif
