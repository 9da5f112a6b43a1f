// SPDX-License-Identifier: MIT
// Arrays of a MATLAB file: version 5 (matio) and 7.3, which is HDF5 (libhdf5).
//
// Both libraries run in a child process (base/child.h), because damaged files may crash them.
//
// Axes are in MATLAB's order, the fastest first. NumPy and h5py show the reverse order.
#ifndef GW_FILE_MAT_H
#define GW_FILE_MAT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MAT_AXES = 3, GW_MAT_ARRAYS = 64 };

typedef struct {
    char name[64];
    int axes; // 2 or 3
    int64_t size[GW_MAT_AXES];
    int64_t value_bytes, stored_bytes; // of one value; of all values in the file
} gw_mat_array;

typedef struct {
    const char *path; // borrowed
    const struct gw_mat_reader *reader;
    void *handle;                       // only in the child
    gw_mat_array arrays[GW_MAT_ARRAYS]; // with two or three axes, in the file's order
    int count;
} gw_mat_file;

// Finds the arrays. No file stays open.
gw_status gw_mat_open(const char *path, gw_mat_file *file) GW_MUST_CHECK;
// Fails if the file is too small for the number of values in the array.
gw_status gw_mat_check_size(const gw_mat_file *file, const gw_mat_array *array) GW_MUST_CHECK;
// Reads a box of an array, from first[axes], of size[axes], into values [product of size], the first axis fastest.
gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) GW_MUST_CHECK;

// Checks the elements of a MATLAB file of version 5 (MathWorks, "MAT-File Format", chapter 1): a tag with type and
// length, then the data, deflated in files since version 7. Fails if the file ends within an element, a deflated
// element is damaged, or a numeric array does not have as many values as its dimensions say. matio would read zeros in
// these cases.
gw_status gw_mat_elements_check(const char *path) GW_MUST_CHECK;

#endif
