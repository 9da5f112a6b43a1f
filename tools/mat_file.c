// SPDX-License-Identifier: MIT
// Tells the two formats of a MATLAB file apart by their first bytes.
#include "tools/mat_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifndef GW_HAVE_MAT

bool gw_mat_is_there(void) {
    return false;
}

gw_status gw_mat_open(const char *path, gw_mat_file *file) {
    *file = (gw_mat_file){0};
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s: this godwit was built without matio and HDF5", path);
}

void gw_mat_close(gw_mat_file *file) {
    *file = (gw_mat_file){0};
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

gw_status gw_mat_open(const char *path, gw_mat_file *file) {
    *file = (gw_mat_file){.path = path};
    GW_TRY(find_reader(file));
    const gw_status status = file->reader->open(file);
    if (status != GW_OK) gw_mat_close(file);
    return status;
}

void gw_mat_close(gw_mat_file *file) {
    if (file->handle) file->reader->close(file);
    *file = (gw_mat_file){0};
}

gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) {
    return file->reader->read(file, array, first, size, values);
}

#endif
