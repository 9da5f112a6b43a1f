// SPDX-License-Identifier: MIT
// A labelled set in a MATLAB file, as in DeepSEA's bundle: windows of one-hot bases, and labels of 0 and 1.
//
// The windows are the array of three axes, one of them with 4 channels. The labels are the array of two axes. The axis
// shared by both is the examples. The sizes identify the axes, so any order is valid.
#ifndef GW_LABEL_MAT_SET_H
#define GW_LABEL_MAT_SET_H

#include "file/mat.h"

typedef struct {
    const gw_mat_array *windows, *labels;
    int channel, place;        // axes of windows
    int window_row, label_row; // axes of the examples
    int64_t rows, bases, targets;
} gw_mat_set;

// Finds both arrays; by name if the name is not NULL.
gw_status gw_mat_set_find(const gw_mat_file *file, const char *windows, const char *labels,
                          gw_mat_set *set) GW_MUST_CHECK;

// Writes PREFIX.bases and PREFIX.labels, several rows at a time. channels: the four letters in the file's order. A base
// without a channel is N. positives[targets] counts labels of 1.
gw_status gw_mat_set_write(gw_mat_file *file, const gw_mat_set *set, const char *channels, const char *prefix,
                           int64_t *positives) GW_MUST_CHECK;

#endif
