// SPDX-License-Identifier: MIT
// A labelled set of a MATLAB file, as DeepSEA's bundle has it: windows of one-hot bases, and labels of 0 and 1.
//
// The windows are the array of three axes of which one has 4 channels; the labels are that of two axes. The axis that
// both share counts the examples; which axis is which follows from their sizes alone, so any order will do.
#ifndef GW_LABEL_MAT_SET_H
#define GW_LABEL_MAT_SET_H

#include "file/mat.h"

typedef struct {
    const gw_mat_array *windows, *labels;
    int channel, place;        // axes of windows
    int window_row, label_row; // axes that count the examples
    int64_t rows, bases, targets;
} gw_mat_set;

// Finds both arrays, by name where that is not NULL.
gw_status gw_mat_set_find(const gw_mat_file *file, const char *windows, const char *labels,
                          gw_mat_set *set) GW_MUST_CHECK;

// Writes PREFIX.bases and PREFIX.labels a slab of rows at a time. channels: the four letters in the file's order; a
// base without any channel is N. positives[targets] counts labels of 1.
gw_status gw_mat_set_write(gw_mat_file *file, const gw_mat_set *set, const char *channels, const char *prefix,
                           int64_t *positives) GW_MUST_CHECK;

#endif
