// SPDX-License-Identifier: MIT
// Bytes as a tar archive: every second file is written, and has as many bytes as its header says.
#include "file/tar.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], to[80];
    gw_tar *tar;
    const char *name;
    int64_t bytes;
    if (gw_tar_open(fuzz_file(path, "in.tar", data, size), &tar) != GW_OK || !tar) return 0;
    snprintf(to, sizeof to, "%s.member", path);
    for (int i = 0; gw_tar_next(tar, &name, &bytes) == GW_OK && name; i++) {
        struct stat info;
        if (bytes < 0 || strlen(name) > 1 << 16) abort();
        if (i % 2 == 0 && gw_tar_save(tar, to) == GW_OK && (stat(to, &info) != 0 || info.st_size != bytes)) abort();
    }
    unlink(to);
    gw_tar_close(tar);
    return 0;
}
