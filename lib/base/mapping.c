// SPDX-License-Identifier: MIT
// Maps files into memory by mmap, whole and read-only.
#include "base/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static gw_status map_handle(int handle, const char *path, gw_mapping *out) {
    struct stat info;
    if (fstat(handle, &info) != 0) return gw_fail(GW_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return gw_fail(GW_ERR_IO, "cannot map %s: it is not a regular file", path);
    if (info.st_size == 0) return GW_OK;
    void *memory = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (memory == MAP_FAILED) return gw_fail(GW_ERR_IO, "cannot map %s: %s", path, strerror(errno));
    *out = (gw_mapping){memory, info.st_size};
    return GW_OK;
}

gw_status gw_mapping_open(const char *path, gw_mapping *out) {
    *out = (gw_mapping){0};
    const int handle = open(path, O_RDONLY | O_CLOEXEC);
    if (handle < 0) return gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    const gw_status status = map_handle(handle, path, out);
    close(handle);
    return status;
}

void gw_mapping_close(gw_mapping *mapping) {
    if (mapping->bytes) munmap((void *)mapping->bytes, (size_t)mapping->size);
    *mapping = (gw_mapping){0};
}
