// SPDX-License-Identifier: MIT
// Files of one name that differ in their suffix.
#include "base/memory.h"
#include "tools/report/report_parts.h"

#include <string.h>

char *gw_report_beside(const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    if (dot && dot - name > 4 && strcmp(dot - 4, ".tsv.gz") == 0) stem -= 4;
    return gw_strprintf("%.*s%s", (int)stem, path, suffix);
}
