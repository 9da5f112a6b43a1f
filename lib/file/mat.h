// SPDX-License-Identifier: MIT
// Arrays of a MATLAB file: version 5 (matio) and 7.3, which is HDF5 (libhdf5).
//
// Both libraries run in a process of their own (base/child.h), which damaged files may crash.
//
// Axes are in MATLAB's order, the fastest first; NumPy and h5py show them in reverse.
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
    int64_t value_bytes, stored_bytes; // of one value; of all, as they lie in the file
} gw_mat_array;

typedef struct {
    const char *path; // borrowed
    const struct gw_mat_reader *reader;
    void *handle;                       // in the child alone
    gw_mat_array arrays[GW_MAT_ARRAYS]; // of two and three axes, in the file's order
    int count;
} gw_mat_file;

// Finds the arrays. Nothing stays open.
gw_status gw_mat_open(const char *path, gw_mat_file *file) GW_MUST_CHECK;
// Fails where the file cannot hold as many values as the array has by its sizes.
gw_status gw_mat_check_size(const gw_mat_file *file, const gw_mat_array *array) GW_MUST_CHECK;
// values [product of size], the first axis fastest: the box of an array that starts at first[axes] and is size[axes]
// large.
gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) GW_MUST_CHECK;

// The elements of a MATLAB file of version 5 (MathWorks, "MAT-File Format", chapter 1): a tag of type and bytes, then
// the data, in files since version 7 deflated. Fails where the file ends before an element does, a deflated one is
// damaged, or an array of numbers has other than as many values as its dimensions say: matio takes each as if zeros
// stood there.
gw_status gw_mat_elements_check(const char *path) GW_MUST_CHECK;

#endif
