// SPDX-License-Identifier: MIT
// MATLAB files of version 7.3 through HDF5, whose axes are in C's order: the last one fastest.
#ifdef GW_HAVE_MAT

#include "file/mat/mat_file.h"

#include "base/memory.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

// Appends the array of a name where it has two or three axes of numbers; others are not of interest.
static herr_t note_array(hid_t root, const char *name, const H5L_info_t *info, void *context) {
    (void)info;
    gw_mat_file *file = context;
    gw_mat_array *array = &file->arrays[file->count];
    if (file->count == GW_MAT_ARRAYS || strlen(name) >= sizeof array->name) return 0;
    const hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
    if (set < 0) return 0; // a group
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    const int axes = H5Sget_simple_extent_ndims(space);
    if ((axes == 2 || axes == GW_MAT_AXES) && (class == H5T_INTEGER || class == H5T_FLOAT)) {
        hsize_t sizes[GW_MAT_AXES];
        H5Sget_simple_extent_dims(space, sizes, NULL);
        array->axes = axes;
        for (int a = 0; a < axes; a++) array->size[a] = (int64_t)sizes[axes - 1 - a];
        strcpy(array->name, name);
        array->value_bytes = (int64_t)H5Tget_size(type);
        array->stored_bytes = (int64_t)H5Dget_storage_size(set);
        file->count++;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return 0;
}

static gw_status open_file(gw_mat_file *file) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // we say ourselves what went wrong
    hid_t *handle = gw_alloc(1, sizeof *handle);
    if (!handle) return GW_ERR_MEMORY;
    *handle = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*handle < 0) {
        free(handle);
        return gw_fail(GW_ERR_FORMAT, "cannot read %s: HDF5 cannot open it (truncated or damaged?)", file->path);
    }
    file->handle = handle;
    if (H5Literate(*handle, H5_INDEX_NAME, H5_ITER_INC, NULL, note_array, file) < 0)
        return gw_fail(GW_ERR_FORMAT, "cannot read the arrays of %s", file->path);
    return GW_OK;
}

static gw_status read_box(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                          float *values) {
    hsize_t from[GW_MAT_AXES], count[GW_MAT_AXES];
    for (int a = 0; a < array->axes; a++) {
        from[array->axes - 1 - a] = (hsize_t)first[a];
        count[array->axes - 1 - a] = (hsize_t)size[a];
    }
    const hid_t set = H5Dopen2(*(hid_t *)file->handle, array->name, H5P_DEFAULT);
    const hid_t stored = H5Dget_space(set), box = H5Screate_simple(array->axes, count, NULL);
    herr_t failed = H5Sselect_hyperslab(stored, H5S_SELECT_SET, from, NULL, count, NULL);
    if (failed >= 0) failed = H5Dread(set, H5T_NATIVE_FLOAT, box, stored, H5P_DEFAULT, values);
    H5Sclose(box);
    H5Sclose(stored);
    H5Dclose(set);
    if (failed >= 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %s cannot be read (truncated or damaged?)", file->path, array->name);
}

static void close_file(gw_mat_file *file) {
    H5Fclose(*(hid_t *)file->handle);
    free(file->handle);
}

const gw_mat_reader gw_mat_hdf5 = {NULL, open_file, read_box, close_file};

#endif
