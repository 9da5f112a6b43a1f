// SPDX-License-Identifier: MIT
// Files for targets with readers that take a path. They are in a folder of this process, which is removed at its end.
// The folder is in memory if possible, because outputs are synced to disk.
#ifndef GW_TESTS_FUZZ_FILE_H
#define GW_TESTS_FUZZ_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char fuzz_folder[32];

static inline void fuzz_remove_folder(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", fuzz_folder);
    if (system(command) != 0) abort();
}

// The path of a file with this name in the folder. The first call makes the folder.
static inline const char *fuzz_path(char path[64], const char *name) {
    static bool made;
    if (!made) {
        const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(fuzz_folder, sizeof fuzz_folder, "%s/godwit-fuzz-XXXXXX", place);
        if (!mkdtemp(fuzz_folder) || atexit(fuzz_remove_folder) != 0) abort();
    }
    made = true;
    snprintf(path, 64, "%s/%s", fuzz_folder, name);
    return path;
}

// Writes the bytes to a file with this name and returns its path.
static inline const char *fuzz_file(char path[64], const char *name, const void *data, size_t size) {
    FILE *file = fopen(fuzz_path(path, name), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
    return path;
}

#endif
