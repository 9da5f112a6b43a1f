// SPDX-License-Identifier: MIT
// NumPy's .npy, version 1.0, written as a stream: float32, C order, the number of rows set at the end.
//
// "\x93NUMPY" 1 0, a little-endian u16 length, and a Python dictionary {'descr': '<f4', 'fortran_order': False,
// 'shape': (...)} padded with spaces and a newline so that the data begin at byte 128 (numpy.lib.format).
#ifndef GW_FILE_NPY_H
#define GW_FILE_NPY_H

#include "base/output.h"

typedef struct {
    gw_output output;
    int64_t rows, columns, depth; // shape (rows, columns, depth); depth 0: (rows, columns)
} gw_npy;

// `path` must be a file, not standard output, because the header is written last.
gw_status gw_npy_open(gw_npy *npy, const char *path, int64_t columns, int64_t depth) GW_MUST_CHECK;
// One row of columns * (depth or 1) values.
gw_status gw_npy_add(gw_npy *npy, const float *row) GW_MUST_CHECK;
gw_status gw_npy_close(gw_npy *npy) GW_MUST_CHECK; // also releases it after a failure; the file appears
void gw_npy_abandon(gw_npy *npy);                  // harmless on a closed or zeroed one

#endif
