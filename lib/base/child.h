// SPDX-License-Identifier: MIT
// Work in a child process, for libraries that crash on damaged files. The death of the child is an error like others,
// and the damage to its memory ends with the child.
#ifndef GW_BASE_CHILD_H
#define GW_BASE_CHILD_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_child_out gw_child_out;
// In the child: sends bytes to take() in the parent. Pieces of at most GW_CHILD_PIECE bytes arrive whole.
enum { GW_CHILD_PIECE = 1 << 20 };
gw_status gw_child_send(gw_child_out *out, const void *bytes, int64_t count) GW_MUST_CHECK;
// In the child: limits the processor time from now on. A child that takes more time is killed.
void gw_child_limit(int64_t seconds);

typedef gw_status gw_child_work(void *context, gw_child_out *out);
// bytes: any bytes, because the child may be damaged.
typedef gw_status gw_child_take(void *context, const void *bytes, int64_t count);

// Runs work() in a child with a copy of the context, and take() here for each piece that the child sends. Returns the
// status and the message of the child. If the child dies, or announces more bytes than it sends, the error names `path`
// as damaged. An interrupt, a failure of take() and the death of this process end the child.
gw_status gw_child_run(const char *path, gw_child_work *work, gw_child_take *take, void *context) GW_MUST_CHECK;

#endif
