// SPDX-License-Identifier: MIT
// Stores the input files of a program by device and inode, and refuses outputs that are one of them.
#include "base/input_files.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    dev_t device;
    ino_t inode;
    char *path; // as it was given; NULL: standard input
} input_file;

static input_file *inputs;
static int64_t input_count, capacity;

static bool is_standard(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static bool find(const char *path, int standard, struct stat *info) {
    return (is_standard(path) ? fstat(standard, info) : stat(path, info)) == 0 && S_ISREG(info->st_mode);
}

gw_status gw_input_files_add(const char *path) {
    struct stat info;
    if (!find(path, STDIN_FILENO, &info)) return GW_OK;
    GW_TRY(gw_reserve(&inputs, &capacity, input_count + 1, sizeof *inputs));
    char *copy = is_standard(path) ? NULL : gw_strdup(path);
    if (!copy && !is_standard(path)) return GW_ERR_MEMORY;
    inputs[input_count++] = (input_file){info.st_dev, info.st_ino, copy};
    return GW_OK;
}

// One terminal, or one log, may be both standard input and standard output.
static bool is_same(const input_file *input, const char *output, const struct stat *info) {
    if (!input->path && is_standard(output)) return false;
    return input->device == info->st_dev && input->inode == info->st_ino;
}

gw_status gw_input_files_refuse(const char *path) {
    struct stat info;
    if (input_count == 0 || !find(path, STDOUT_FILENO, &info)) return GW_OK;
    for (int64_t i = 0; i < input_count; i++)
        if (is_same(&inputs[i], path, &info))
            return gw_fail(GW_ERR_IO, "cannot write %s: it is the input %s",
                           is_standard(path) ? "standard output" : path,
                           inputs[i].path ? inputs[i].path : "from standard input");
    return GW_OK;
}

void gw_input_files_forget(void) {
    for (int64_t i = 0; i < input_count; i++) free(inputs[i].path);
    free(inputs);
    inputs = NULL;
    input_count = capacity = 0;
}
