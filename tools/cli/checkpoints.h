// SPDX-License-Identifier: MIT
// Where the commands that train keep their training state.
#ifndef GW_TOOLS_CLI_CHECKPOINTS_H
#define GW_TOOLS_CLI_CHECKPOINTS_H

#include "base/status.h"
#include "tools/cli/cli.h"

#define GW_OPTION_ROW_CHECKPOINTS(offset, help)                                                                        \
    GW_OPTION_STRING, 0, "checkpoints", "FOLDER", offset,                                                              \
        "folder of the training state (OUTPUT.checkpoints, " help "; no: none is kept)", .writes = true
#define GW_OPTION_ROW_RESUME(offset)                                                                                   \
    GW_OPTION_FLAG, 0, "resume", NULL, offset, "continue from the training state, where there is one"

// "model/" names the same folder as "model", and what stands beside it must not lie inside. free() it.
char *gw_without_last_slashes(const char *path);
// The folder that --checkpoints names, NULL for "no", where it is not given the neighbour of `output`; free() it. To go
// on (--resume) without one is wrong usage.
gw_status gw_checkpoints_folder(const char *given, const char *output, bool resume, char **out) GW_MUST_CHECK;

#endif
