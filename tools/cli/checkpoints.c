// SPDX-License-Identifier: MIT
// Names alone: the folders are made by what trains.
#include "tools/cli/checkpoints.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

char *gw_without_last_slashes(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    return gw_strndup(path, length);
}

gw_status gw_checkpoints_folder(const char *given, const char *output, bool resume, char **out) {
    *out = NULL;
    if (given && strcmp(given, "no") == 0)
        return resume ? gw_fail(GW_ERR_USAGE, "--resume goes on from a training state, and --checkpoints no keeps none")
                      : GW_OK;
    char *beside = gw_without_last_slashes(given ? given : output);
    *out = given || !beside ? beside : gw_strprintf("%s.checkpoints", beside);
    if (!given) free(beside);
    return *out ? GW_OK : GW_ERR_MEMORY;
}
