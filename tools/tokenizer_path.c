// SPDX-License-Identifier: MIT
#include "tools/tokenizer_path.h"

#include "base/output.h"

#include <stdlib.h>
#include <sys/stat.h>

gw_status gw_open_tokenizer(const char *path, gw_tokenizer **out) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return gw_tokenizer_load(path, out);
    char *inside = gw_join_path(path, "tokenizer.json");
    if (!inside) return GW_ERR_MEMORY;
    const gw_status status = gw_tokenizer_load(inside, out);
    free(inside);
    return status;
}
