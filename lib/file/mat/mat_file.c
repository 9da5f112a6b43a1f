// SPDX-License-Identifier: MIT
// Tells the two formats of a MATLAB file apart by their first bytes.
// What both readers find is checked again here, since it comes from a process that may have been damaged.
#include "file/mat/mat_file.h"

#include "base/child.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef GW_HAVE_MAT

bool gw_mat_is_there(void) {
    return false;
}

gw_status gw_mat_open(const char *path, gw_mat_file *file) {
    *file = (gw_mat_file){0};
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s: this godwit was built without matio and HDF5", path);
}

gw_status gw_mat_check_size(const gw_mat_file *file, const gw_mat_array *array) {
    (void)array;
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s", file->path);
}

gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) {
    (void)array, (void)first, (void)size, (void)values;
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s", file->path);
}

#else

bool gw_mat_is_there(void) {
    return true;
}

// HDF5 begins at byte 0, or, as MATLAB writes it, at 512 behind a header of its own; version 5 says so in its header.
static gw_status find_reader(gw_mat_file *file) {
    enum { HDF5_AT = 512 };
    static const char signature[8] = {(char)0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    char bytes[HDF5_AT + sizeof signature] = {0};
    FILE *stream = fopen(file->path, "rb");
    if (!stream) return gw_fail(GW_ERR_IO, "cannot open %s: %s", file->path, strerror(errno));
    const size_t got = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    if (memcmp(bytes, signature, sizeof signature) == 0 || memcmp(bytes + HDF5_AT, signature, sizeof signature) == 0)
        file->reader = &gw_mat_hdf5;
    else if (strncmp(bytes, "MATLAB 5.0 MAT-file", 19) == 0) file->reader = &gw_mat_version_5;
    else if (got == 0) return gw_fail(GW_ERR_FORMAT, "%s is empty", file->path);
    else return gw_fail(GW_ERR_FORMAT, "%s is no MATLAB file of version 5 or 7.3 (HDF5)", file->path);
    return GW_OK;
}

typedef struct {
    gw_mat_file *file;
    const gw_mat_array *array;
    const int64_t *first, *size;
    char *values;
    int64_t bytes, taken;
} box;

static int64_t count_values(const int64_t *size, int axes) {
    int64_t count = 1;
    for (int a = 0; a < axes; a++)
        if (size[a] < 0 || __builtin_mul_overflow(count, size[a], &count)) return -1;
    return count;
}

static gw_status damaged(const gw_mat_file *file) {
    return gw_fail(GW_ERR_FORMAT, "%s is damaged: what is read of it makes no sense", file->path);
}

// Processor time for names and sizes grows with the file: its parts may name each other without end.
static gw_status list_arrays(void *context, gw_child_out *out) {
    enum { LEAST_SECONDS = 3, BYTES_PER_SECOND = 1 << 24 };
    gw_mat_file *file = context;
    struct stat info;
    const int64_t bytes = stat(file->path, &info) == 0 ? (int64_t)info.st_size : 0;
    if (file->reader->check) GW_TRY(file->reader->check(file->path));
    gw_child_limit(LEAST_SECONDS + bytes / BYTES_PER_SECOND);
    GW_TRY(file->reader->open(file));
    for (int i = 0; i < file->count; i++) GW_TRY(gw_child_send(out, &file->arrays[i], sizeof file->arrays[i]));
    file->reader->close(file);
    return GW_OK;
}

static gw_status take_array(void *context, const void *bytes, int64_t count) {
    gw_mat_file *file = context;
    gw_mat_array array;
    if (count != sizeof array || file->count == GW_MAT_ARRAYS) return damaged(file);
    memcpy(&array, bytes, sizeof array);
    const bool named = memchr(array.name, 0, sizeof array.name) != NULL;
    if (!named || array.axes < 2 || array.axes > GW_MAT_AXES || count_values(array.size, array.axes) < 0)
        return damaged(file);
    file->arrays[file->count++] = array;
    return GW_OK;
}

gw_status gw_mat_open(const char *path, gw_mat_file *file) {
    *file = (gw_mat_file){.path = path};
    GW_TRY(find_reader(file));
    return gw_child_run(path, list_arrays, take_array, file);
}

// Deflate makes at most 1,032 bytes of one; parts that are not stored at all hold no examples.
gw_status gw_mat_check_size(const gw_mat_file *file, const gw_mat_array *array) {
    enum { MOST_GROWTH = 1100, NO_MATTER = 1 << 20 };
    const int64_t count = count_values(array->size, array->axes);
    if (count <= NO_MATTER || count / MOST_GROWTH <= array->stored_bytes / array->value_bytes) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %s has %lld values by its sizes, but only %lld bytes are stored of it",
                   file->path, array->name, (long long)count, (long long)array->stored_bytes);
}

static gw_status send_box(void *context, gw_child_out *out) {
    const box *b = context;
    float *values = gw_alloc(b->bytes, 1);
    if (!values) return GW_ERR_MEMORY;
    GW_TRY(b->file->reader->open(b->file));
    GW_TRY(b->file->reader->read(b->file, b->array, b->first, b->size, values));
    GW_TRY(gw_child_send(out, values, b->bytes));
    b->file->reader->close(b->file);
    free(values);
    return GW_OK;
}

static gw_status take_values(void *context, const void *bytes, int64_t count) {
    box *b = context;
    if (count > b->bytes - b->taken) return damaged(b->file);
    memcpy(b->values + b->taken, bytes, (size_t)count);
    b->taken += count;
    return GW_OK;
}

gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) {
    const int64_t count = count_values(size, array->axes);
    box b = {file, array, first, size, (char *)values, count * (int64_t)sizeof *values, 0};
    GW_TRY(gw_child_run(file->path, send_box, take_values, &b));
    return b.taken == b.bytes ? GW_OK : damaged(file);
}

#endif
